package content

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// File is an open batch, read as JSON whatever its form on the disk.
type File struct {
	io.Reader

	close func() error
	size  int64 // 0 if nobody knows
}

// OpenFile opens a batch: a JSON file, or a zip of CSV files, which say nothing
// of their mode.
func OpenFile(name string, csvMode Mode) (*File, error) {
	if !strings.HasSuffix(name, ".zip") {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		described, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return &File{Reader: file, close: file.Close, size: described.Size()}, nil
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	reader, writer := io.Pipe()
	go func() {
		_ = writer.CloseWithError(ConvertCSV(&archive.Reader, writer, csvMode)) // a pipe always closes
	}()
	return &File{Reader: reader, close: func() error { return errors.Join(reader.Close(), archive.Close()) }}, nil
}

// Close lets go of the file.
func (f *File) Close() error { return f.close() }

// Share is which part of the file so many bytes are, 0 if nobody knows.
func (f *File) Share(read int64) float64 {
	if f.size == 0 {
		return 0
	}
	return float64(read) / float64(f.size)
}

// Export calls write with everything that is to be exported, object by object.
type Export func(write func(List, any) error) error

// Write writes one batch of JSON. More than a batch may hold is an error.
func (e Export) Write(out io.Writer) error {
	begun := false
	return e.parts(func() (BatchWriter, error) {
		if begun {
			return nil, errors.New("the guide has more than one batch may hold: name a file, and it is written as several")
		}
		begun = true
		return NewWriter(out, Upsert), nil
	})
}

// WriteFiles writes as many batches as it takes, as CSV if the name ends in
// .zip, and returns their names: content.json, content-2.json, … It writes
// beside the files and renames at the end, so that a batch that is there is
// always a whole one.
func (e Export) WriteFiles(name string) (names []string, err error) {
	var files []*os.File
	defer func() {
		for _, file := range files {
			_ = file.Close()           // after a success it is closed already
			_ = os.Remove(file.Name()) // and renamed
		}
	}()
	err = e.parts(func() (BatchWriter, error) {
		file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if strings.HasSuffix(name, ".zip") {
			return NewCSVWriter(file), nil
		}
		return NewWriter(file, Upsert), nil
	})
	if err != nil {
		return nil, err
	}
	for n, file := range files {
		if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
			return names, err
		}
		part := partName(name, n+1)
		if err := os.Rename(file.Name(), part); err != nil {
			return names, err
		}
		names = append(names, part)
	}
	return names, nil
}

func (e Export) parts(open func() (BatchWriter, error)) error {
	parts := NewParts(open)
	if err := e(parts.Write); err != nil {
		return err
	}
	return parts.Close()
}

// partName is content-2.json for the second part of content.json.
func partName(name string, part int) string {
	if part == 1 {
		return name
	}
	folder, file := filepath.Split(name)
	stem, suffix, dot := strings.Cut(file, ".")
	if dot {
		suffix = "." + suffix
	}
	return fmt.Sprintf("%s%s-%d%s", folder, stem, part, suffix)
}
