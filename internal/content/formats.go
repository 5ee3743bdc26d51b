package content

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	encoding "golang.org/x/text/encoding/unicode"
)

// Tables are what editors without a CMS have: CSV as Excel and Google Sheets
// write it, xlsx, or a zip of those. See tableReader for what is made of them.

// unpackedLimit bounds what a zip or a workbook may unpack to: it can hold far
// more than it weighs.
const unpackedLimit = 2 * MaxBatchBytes

// table is one CSV file or one sheet.
type table struct {
	name string
	rows []tableRow // without blank ones
}

type tableRow struct {
	number int // from 1, as a spreadsheet counts
	cells  []string
}

// TableOptions say what a table can't.
type TableOptions struct {
	Mode Mode `json:"mode,omitempty"` // "" is Upsert
	List List `json:"list,omitempty"` // of a table that does not show what is in it
	// Tables are how a person wants the file's tables to be read, in their order;
	// nil reads them by their names and headings.
	Tables []TableChoice `json:"tables,omitempty"`
}

// Open reads a batch in any of its forms, told by the content and not by the
// name: JSON object by object, tables as a whole. The error is a *BatchError if
// it is none of them, and otherwise the reader's.
func Open(name string, r io.Reader, rules Rules, options TableOptions) (Source, error) {
	buffered := bufio.NewReader(r)
	start, _ := buffered.Peek(512) // a short file is as good
	if trimmed := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\uFEFF")), " \t\r\n"); len(trimmed) == 0 || bytes.ContainsAny(trimmed[:1], "{[") {
		return NewReader(buffered, rules), nil
	}
	reader := newTableReader(rules, options)
	tables, err := reader.open(name, buffered)
	if err == nil {
		err = reader.read(tables)
	}
	if err != nil {
		return nil, err
	}
	return reader, nil
}

// open reads a file's tables, blank ones left out.
func (r *tableReader) open(name string, file io.Reader) ([]table, error) {
	whole, err := io.ReadAll(io.LimitReader(file, MaxBatchBytes+1))
	if err != nil {
		return nil, fmt.Errorf("content: read batch: %w", err)
	}
	if len(whole) > MaxBatchBytes {
		return nil, &BatchError{Why: Because("файл больше %d МБ: разделите его", MaxBatchBytes>>20), TooLarge: true}
	}
	tables, err := r.unpack(path.Base(strings.ReplaceAll(name, `\`, "/")), whole)
	return slices.DeleteFunc(tables, func(t table) bool { return len(t.rows) == 0 }), err
}

func refuseFile(name, format string, values ...any) *BatchError {
	return &BatchError{Why: Because(format, values...).within(name)}
}

// inFile names the file in which a fault is.
func inFile(name string, err error) *BatchError {
	if refused := new(BatchError); errors.As(err, &refused) {
		return &BatchError{Why: refused.within(name)}
	}
	return refuseFile(name, "не читается: %v", err)
}

// unpack recognises a file by its first bytes.
func (r *tableReader) unpack(name string, file []byte) ([]table, error) {
	switch {
	case bytes.HasPrefix(file, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return nil, refuseFile(name, "архив повреждён: %v", err)
		}
		return r.unzip(name, file, archive)
	case bytes.HasPrefix(file, []byte("\xD0\xCF\x11\xE0")):
		return nil, refuseFile(name, "старый формат Excel или файл с паролем: сохраните его как .xlsx без пароля")
	}
	text, err := decodeText(file)
	if err != nil {
		return nil, inFile(name, err)
	}
	rows, err := readCSV(text)
	if err != nil {
		return nil, inFile(name, err)
	}
	return []table{{name: name, rows: rows}}, nil
}

func (r *tableReader) unzip(name string, file []byte, archive *zip.Reader) (tables []table, err error) {
	for _, inside := range archive.File {
		switch inside.Name {
		case "xl/workbook.xml":
			return readWorkbook(name, file)
		case "META-INF/manifest.xml":
			return nil, refuseFile(name, "формат OpenOffice: сохраните файл как .xlsx или .csv")
		}
	}
	unpacked := uint64(0)
	for _, inside := range archive.File {
		called := nameOf(inside)
		base := path.Base(strings.ReplaceAll(called, `\`, "/"))
		if inside.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.Contains(called, "__MACOSX") {
			continue
		}
		if !slices.Contains([]string{".csv", ".tsv", ".txt", ".xlsx"}, strings.ToLower(path.Ext(base))) {
			r.remarks.warn(Because("файл пропущен: это не таблица CSV и не xlsx"), Refusal{Path: called})
			continue
		}
		if unpacked += inside.UncompressedSize64; unpacked > unpackedLimit {
			return nil, &BatchError{Why: Because("архив распаковывается больше чем в %d МБ", unpackedLimit>>20), TooLarge: true}
		}
		opened, err := inside.Open()
		if err != nil {
			return nil, refuseFile(base, "не распаковывается: %v", err)
		}
		content, err := io.ReadAll(io.LimitReader(opened, unpackedLimit))
		if err = errors.Join(err, opened.Close()); err != nil {
			return nil, refuseFile(base, "не распаковывается: %v", err)
		}
		if bytes.HasPrefix(content, []byte("PK")) && strings.ToLower(path.Ext(base)) != ".xlsx" {
			return nil, refuseFile(base, "архив внутри архива")
		}
		more, err := r.unpack(base, content)
		if err != nil {
			return nil, err
		}
		tables = append(tables, more...)
	}
	return tables, nil
}

// nameOf is the name of a file in an archive, which Russian Windows writes in code page 866.
func nameOf(inside *zip.File) string {
	if decoded, err := charmap.CodePage866.NewDecoder().String(inside.Name); inside.NonUTF8 && err == nil {
		return decoded
	}
	return inside.Name
}

func readWorkbook(name string, file []byte) (tables []table, err error) {
	options := excelize.Options{RawCellValue: true, UnzipSizeLimit: unpackedLimit}
	book, err := excelize.OpenReader(bytes.NewReader(file), options)
	if err != nil {
		return nil, refuseFile(name, "не открывается: %v", err)
	}
	defer book.Close()
	for _, sheet := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(sheet); err == nil && !visible {
			continue
		}
		rows, err := book.GetRows(sheet, options)
		if err != nil {
			return nil, refuseFile(name, "лист «%s» не читается: %v", sheet, err)
		}
		filled := table{name: sheet}
		for n, cells := range rows {
			filled.add(n+1, cells)
		}
		tables = append(tables, filled)
	}
	return tables, nil
}

func (t *table) add(number int, cells []string) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			t.rows = append(t.rows, tableRow{number: number, cells: cells})
			return
		}
	}
}

// decodeText reads UTF-8, UTF-16 and Windows-1251 and refuses what is none of
// them.
func decodeText(file []byte) (string, error) {
	utf16 := encoding.UTF16(encoding.LittleEndian, encoding.UseBOM)
	switch zeros := bytes.Count(file[:min(len(file), 4096)], []byte{0}); {
	case bytes.HasPrefix(file, []byte("\xFF\xFE")), bytes.HasPrefix(file, []byte("\xFE\xFF")):
		text, err := utf16.NewDecoder().Bytes(file)
		return string(text), err
	case zeros > 0:
		return "", &BatchError{Why: Because("это не текст: нужна таблица CSV в UTF-8, UTF-16 или Windows-1251, xlsx или zip из них")}
	case utf8.Valid(file):
		return strings.TrimPrefix(string(file), "\uFEFF"), nil
	}
	text, err := charmap.Windows1251.NewDecoder().Bytes(file)
	if err != nil || !isRussian(string(text)) {
		return "", &BatchError{Why: Because("кодировка не распознана: сохраните файл в UTF-8 (в Excel: «CSV UTF-8»)")}
	}
	return string(text), nil
}

// isRussian reports whether a text that was read as Windows-1251 is one: nearly
// all that is not ASCII are Russian letters and the signs around them, and the
// most frequent letters are frequent. KOI8-R and the code page of DOS fail, and
// so does the West's, whose é stands within Latin words.
func isRussian(text string) bool {
	letters, frequent, odd := 0, 0, 0
	var before rune
	for _, r := range text {
		if unicode.IsLetter(r) && unicode.IsLetter(before) && (r < utf8.RuneSelf) != (before < utf8.RuneSelf) {
			odd++
		}
		before = r
		switch lower := unicode.ToLower(r); {
		case r < utf8.RuneSelf:
			if r < ' ' && r != '\t' && r != '\n' && r != '\r' {
				odd++
			}
		case lower >= 'а' && lower <= 'я' || lower == 'ё':
			letters++
			if strings.ContainsRune("оеаинтрс", lower) {
				frequent++
			}
		case !strings.ContainsRune("«»„“”‘’—–…№•·§°±€\u00A0", r):
			odd++
		}
	}
	return letters > 0 && 50*odd <= letters && (letters < 20 || 3*frequent >= letters)
}

// readCSV reads rows apart by whichever of comma, semicolon and tab stands most
// often in the first line.
func readCSV(text string) ([]tableRow, error) {
	heading, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	if declared, ok := strings.CutPrefix(strings.TrimSpace(heading), "sep="); ok && len(declared) == 1 { // Excel's own hint
		_, text, _ = strings.Cut(text, "\n")
		heading = strings.Repeat(declared, 2)
	}
	rows := csv.NewReader(strings.NewReader(text))
	rows.FieldsPerRecord = -1
	for _, separator := range ";\t" {
		if strings.Count(heading, string(separator)) > strings.Count(heading, string(rows.Comma)) {
			rows.Comma = separator
		}
	}
	var filled table
	for number, next := 0, 1; ; {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return filled.rows, nil
		}
		if fault, is := errors.AsType[*csv.ParseError](err); is {
			return nil, &BatchError{Why: Because("строка %d: кавычки стоят не парами", fault.StartLine)}
		}
		if err != nil {
			return nil, err
		}
		// Blank lines count as rows, line breaks within a cell do not.
		line, _ := rows.FieldPos(0)
		number += line - next + 1
		next = line + 1 + strings.Count(strings.Join(cells, ""), "\n")
		filled.add(number, cells)
	}
}
