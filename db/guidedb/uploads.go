package guidedb

import (
	"context"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// File is a file that an editor has uploaded, with how it is to be read.
type File struct {
	Name    string
	Content []byte
	Options content.TableOptions
}

// KeepFile keeps a file under an id: that of the held import that was made of
// it, or another. It stays until the import is confirmed or discarded, or, as
// imports do, for 30 days.
func (i *Imports) KeepFile(ctx context.Context, id string, file File) error {
	return wrap("keep file", i.queries.KeepUpload(ctx, guidesql.KeepUploadParams{ID: id, Name: file.Name, File: file.Content, Options: file.Options}))
}

// File gives a file that is kept, or ErrNotFound.
func (i *Imports) File(ctx context.Context, id string) (File, error) {
	row, err := i.queries.GetUpload(ctx, id)
	return File{Name: row.Name, Content: row.File, Options: row.Options}, wrap("file", err)
}

// HasFile reports whether a file is kept under the id.
func (i *Imports) HasFile(ctx context.Context, id string) (bool, error) {
	has, err := i.queries.HasUpload(ctx, id)
	return has, wrap("file", err)
}

// ForgetFile forgets a file, if it is there.
func (i *Imports) ForgetFile(ctx context.Context, id string) error {
	return wrap("forget file", i.queries.ForgetUpload(ctx, id))
}
