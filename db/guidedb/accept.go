package guidedb

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// Upload is a batch that somebody sends.
type Upload struct {
	// Key gives the same import as before, unless it is "".
	Key    string
	Batch  content.Source
	Author string // who sends it, for the history
	Origin string // what it is: the name of a file, a form
	// Hold keeps it from being applied before [Imports.Confirm].
	Hold bool
	// Brake is the share of a list, in percent, that a snapshot may unpublish
	// without a person's word; 0 is [defaultBrake].
	Brake int
	// Confirmed is how many objects it may unpublish by a person's word.
	Confirmed int
}

// defaultBrake is the share of a list, in percent, of which more is unpublished
// by a person's word only.
const defaultBrake = 20

// brakeFloor is how many objects may always go: of four promos one ends.
const brakeFloor = 5

// Acceptance says which import a batch became, or already was.
type Acceptance struct {
	ID    string
	State content.State
	// Unpublishes is how many objects a snapshot does not name.
	Unpublishes int
	// Repeated says that the import was there before.
	Repeated bool
	// OtherContent says that a batch with the same key was another one; the
	// one sent now is not imported.
	OtherContent bool
}

// plainKey is an Idempotency-Key that can stand in an address and in a
// workflow's ID as it is.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Accept reads a batch to its end and keeps it for being applied, or, held, for
// being confirmed; it needs no more memory than the largest object. The same
// key gives the same import; so does the content of the import accepted last
// (sent again after others it is new, or an editor could never go back to an
// earlier state). An import that failed is not there for either. Errors:
// *content.BatchError if the batch is refused, the batch's own read error, or
// the database's.
func (i *Imports) Accept(ctx context.Context, upload Upload) (accepted Acceptance, err error) {
	err = pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		number, err := queries.NextQueueNumber(ctx)
		if err != nil {
			return wrap("accept batch", err)
		}
		if err := stage(ctx, tx, number, upload.Batch); err != nil {
			return err
		}
		if err := queries.LockAcceptance(ctx); err != nil {
			return wrap("accept batch", err)
		}
		var found bool
		accepted, found, err = findRepeated(ctx, queries, upload)
		if err == nil && found {
			err = errRepeated
		}
		if err != nil {
			return err
		}
		accepted, err = i.record(ctx, queries, number, upload)
		return err
	})
	if errors.Is(err, errRepeated) {
		err = nil
	}
	return accepted, err
}

// errRepeated takes back what was staged of a batch that is there already.
var errRepeated = errors.New("guidedb: the batch is there already")

func stage(ctx context.Context, tx database, number int64, batch content.Source) error {
	columns := []string{
		"queue_number", "seq", "rank", "list", "path", "external_id", "payload", "digest",
		"refused", "faults", "gone", "source_table", "source_row",
	}
	source := &stagedSource{number: number, batch: batch}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"cms", "staged_objects"}, columns, source)
	if source.err != nil {
		return source.err
	}
	return wrap("stage batch", err)
}

// stagedSource hands a batch to COPY object by object.
type stagedSource struct {
	number int64
	batch  content.Source
	row    []any
	err    error
}

func (s *stagedSource) Next() bool {
	object, err := s.batch.Next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.err = err
		}
		return false
	}
	rank := object.List.Rank()
	var payload, digest []byte
	switch {
	case len(object.Refusals) > 0:
	case object.Gone:
		rank += goneRank
	default:
		payload, digest = object.Payload, object.Digest[:]
	}
	s.row = []any{
		s.number, int32(object.Seq), int16(rank), string(object.List), object.Path, object.ID, payload, digest,
		len(object.Refusals) > 0, object.Refusals, object.Gone, object.Table, int32(object.Row),
	}
	return true
}

func (s *stagedSource) Values() ([]any, error) { return s.row, nil }

func (s *stagedSource) Err() error { return s.err }

// goneRank puts what is to be unpublished after everything else, in the order
// of its list.
const goneRank = 100

func findRepeated(ctx context.Context, queries *guidesql.Queries, upload Upload) (Acceptance, bool, error) {
	hash := upload.Batch.Summary().Hash
	if upload.Key != "" {
		known, err := queries.FindImportByKey(ctx, upload.Key)
		if err == nil {
			repeated, err := acceptedBefore(ctx, queries, guidesql.LastImportRow(known))
			repeated.OtherContent = !bytes.Equal(hash, known.ContentHash)
			return repeated, true, err
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return Acceptance{}, false, wrap("accept batch", err)
		}
	}
	last, err := queries.LastImport(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return Acceptance{}, false, nil
	}
	if err != nil || !bytes.Equal(hash, last.ContentHash) || last.State == content.Failed {
		return Acceptance{}, false, wrap("accept batch", err)
	}
	repeated, err := acceptedBefore(ctx, queries, last)
	return repeated, true, err
}

func acceptedBefore(ctx context.Context, queries *guidesql.Queries, known guidesql.LastImportRow) (repeated Acceptance, err error) {
	repeated = Acceptance{ID: known.ID, State: known.State, Repeated: true}
	if known.State == content.Held {
		repeated.Unpublishes, err = queries.CountGone(ctx, known.QueueNumber)
	}
	return repeated, wrap("accept batch", err)
}

// newImportID is the key where it can be, else a hash: of the key, or of the
// content, followed by the number in the queue if an import with that id stands.
func newImportID(ctx context.Context, queries *guidesql.Queries, key string, hash []byte, number int64) (string, error) {
	switch {
	case plainKey.MatchString(key):
		return key, nil
	case key != "":
		sum := sha256.Sum256([]byte(key))
		return hex.EncodeToString(sum[:16]), nil
	}
	id := hex.EncodeToString(hash[:16])
	taken, err := queries.HasImport(ctx, id)
	if taken {
		id = fmt.Sprintf("%s-%d", id, number)
	}
	return id, wrap("accept batch", err)
}

// record makes an import of what is staged, held if it needs a person's word.
func (i *Imports) record(ctx context.Context, queries *guidesql.Queries, number int64, upload Upload) (Acceptance, error) {
	batch := upload.Batch.Summary()
	id, err := newImportID(ctx, queries, upload.Key, batch.Hash, number)
	if err != nil {
		return Acceptance{}, err
	}
	repeated, err := queries.RepeatedIDs(ctx, number)
	if err != nil {
		return Acceptance{}, wrap("accept batch", err)
	}
	for _, first := range repeated {
		if err := queries.RefuseRepeatedID(ctx, guidesql.RefuseRepeatedIDParams{
			QueueNumber: number, Rank: first.Rank, List: first.List, ExternalID: first.ExternalID, Seq: first.Seq,
		}); err != nil {
			return Acceptance{}, wrap("accept batch", err)
		}
	}
	params := guidesql.InsertImportParams{
		ID: id, QueueNumber: number, ContentHash: batch.Hash, Mode: batch.Mode, Lists: names(batch.Lists), Objects: batch.Objects,
		Author: upload.Author, Origin: upload.Origin, Brake: int16(cmp.Or(upload.Brake, defaultBrake)), Confirmed: upload.Confirmed, Notes: batch.Notes,
	}
	if upload.Key != "" {
		params.IdempotencyKey = &upload.Key
	}
	accepted := Acceptance{ID: id, State: content.Running}
	if err := insertImport(ctx, queries, params); err != nil {
		return accepted, err
	}
	held, gone, err := i.brake(ctx, queries, id)
	if err == nil && upload.Hold && !held {
		held, err = true, queries.HoldImport(ctx, guidesql.HoldImportParams{ID: id})
	}
	if held {
		accepted.State = content.Held
	}
	accepted.Unpublishes = gone
	return accepted, wrap("accept batch", err)
}

func insertImport(ctx context.Context, queries *guidesql.Queries, params guidesql.InsertImportParams) error {
	if _, err := queries.DropImport(ctx, guidesql.DropImportParams{ID: params.ID, State: content.Failed, Heir: params.QueueNumber}); err != nil {
		return wrap("accept batch", err)
	}
	return wrap("accept batch", queries.InsertImport(ctx, params))
}

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
