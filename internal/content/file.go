package content

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

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
