package guidedb

import (
	"bytes"
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

// Acceptance says which import a batch became, or already was.
type Acceptance struct {
	ID    string
	State content.State
	// Repeated says that the import was there before.
	Repeated bool
	// OtherContent says that a batch with the same key was another one; the
	// one sent now is not imported.
	OtherContent bool
}

// plainKey is an Idempotency-Key that can stand in an address and in a
// workflow's ID as it is.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Accept reads a batch to its end and keeps it for being applied; it needs no
// more memory than the largest object. The same key, unless "", gives the same
// import; so does the content of the import accepted last (sent again after
// others it is new, or an editor could never go back to an earlier state). An
// import that failed is not there for either. Errors: *content.BatchError if
// the batch is refused, the batch's own read error, or the database's.
func (i *Imports) Accept(ctx context.Context, key string, batch io.Reader, rules content.Rules) (Acceptance, error) {
	if key != "" {
		known, err := i.queries.FindImportByKey(ctx, key)
		if err == nil {
			return repeatedByKey(known, batch)
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return Acceptance{}, wrap("accept batch", err)
		}
	}
	tx, err := i.pool.Begin(ctx)
	if err != nil {
		return Acceptance{}, wrap("accept batch", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after a commit there is nothing to roll back
	queries := i.queries.WithTx(tx)

	number, err := queries.NextQueueNumber(ctx)
	if err != nil {
		return Acceptance{}, wrap("accept batch", err)
	}
	reader := content.NewReader(batch, rules)
	if err := stage(ctx, tx, number, reader); err != nil {
		return Acceptance{}, err
	}
	if err := queries.LockAcceptance(ctx); err != nil {
		return Acceptance{}, wrap("accept batch", err)
	}
	if repeated, found, err := findRepeated(ctx, queries, key, reader.Hash()); err != nil || found {
		return repeated, err
	}
	id, err := newImportID(ctx, queries, key, reader.Hash())
	if err != nil {
		return Acceptance{}, err
	}
	if err := record(ctx, queries, id, key, number, reader); err != nil {
		return Acceptance{}, err
	}
	if err := tx.Commit(ctx); err != nil {
		return Acceptance{}, wrap("accept batch", err)
	}
	return Acceptance{ID: id, State: content.Running}, nil
}

func stage(ctx context.Context, tx pgx.Tx, number int64, reader *content.Reader) error {
	columns := []string{
		"queue_number", "seq", "rank", "list", "path", "external_id", "payload", "digest",
		"refused", "refused_path", "refused_value", "reason",
	}
	source := &stagedSource{number: number, reader: reader}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"cms", "staged_objects"}, columns, source)
	if source.err != nil {
		return source.err
	}
	return wrap("stage batch", err)
}

// stagedSource hands a batch to COPY object by object.
type stagedSource struct {
	number int64
	reader *content.Reader
	row    []any
	err    error
}

func (s *stagedSource) Next() bool {
	object, err := s.reader.Next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.err = err
		}
		return false
	}
	var refusal content.Refusal
	var payload, digest []byte
	if object.Refusal != nil {
		refusal = *object.Refusal
	} else {
		payload, digest = object.Payload, object.Digest[:]
	}
	s.row = []any{
		s.number, int32(object.Seq), int16(object.List.Rank()), string(object.List), object.Path, object.ID, payload, digest,
		object.Refusal != nil, refusal.Path, refusal.Value, refusal.Reason,
	}
	return true
}

func (s *stagedSource) Values() ([]any, error) { return s.row, nil }

func (s *stagedSource) Err() error { return s.err }

// repeatedByKey compares the batch with the one that the key stands for,
// without reading more than a batch may have.
func repeatedByKey(known guidesql.FindImportByKeyRow, batch io.Reader) (Acceptance, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(batch, content.MaxBatchBytes+1)); err != nil {
		return Acceptance{}, fmt.Errorf("guidedb: read batch: %w", err)
	}
	return Acceptance{
		ID: known.ID, State: content.State(known.State), Repeated: true,
		OtherContent: !bytes.Equal(hash.Sum(nil), known.ContentHash),
	}, nil
}

func findRepeated(ctx context.Context, queries *guidesql.Queries, key string, hash []byte) (Acceptance, bool, error) {
	if key != "" {
		known, err := queries.FindImportByKey(ctx, key)
		if err == nil {
			return Acceptance{
				ID: known.ID, State: content.State(known.State), Repeated: true,
				OtherContent: !bytes.Equal(hash, known.ContentHash),
			}, true, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return Acceptance{}, false, wrap("accept batch", err)
		}
	}
	last, err := queries.LastImport(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return Acceptance{}, false, nil
	}
	if err != nil {
		return Acceptance{}, false, wrap("accept batch", err)
	}
	same := bytes.Equal(hash, last.ContentHash) && content.State(last.State) != content.Failed
	return Acceptance{ID: last.ID, State: content.State(last.State), Repeated: true}, same, nil
}

// newImportID is the key where it can be, else a hash: of the key, or of the
// content with the number of times it was sent.
func newImportID(ctx context.Context, queries *guidesql.Queries, key string, hash []byte) (string, error) {
	switch {
	case plainKey.MatchString(key):
		return key, nil
	case key != "":
		sum := sha256.Sum256([]byte(key))
		return hex.EncodeToString(sum[:16]), nil
	}
	id := hex.EncodeToString(hash[:16])
	before, err := queries.CountImportsLike(ctx, hash)
	if err != nil {
		return "", wrap("accept batch", err)
	}
	if before > 0 {
		id = fmt.Sprintf("%s-%d", id, before+1)
	}
	return id, nil
}

func record(ctx context.Context, queries *guidesql.Queries, id, key string, number int64, reader *content.Reader) error {
	repeated, err := queries.RepeatedIDs(ctx, number)
	if err != nil {
		return wrap("accept batch", err)
	}
	for _, first := range repeated {
		if err := queries.RefuseRepeatedID(ctx, guidesql.RefuseRepeatedIDParams{
			QueueNumber: number, Rank: first.Rank, List: first.List, ExternalID: first.ExternalID, Seq: first.Seq,
		}); err != nil {
			return wrap("accept batch", err)
		}
	}
	if err := queries.DropFailedImport(ctx, id); err != nil {
		return wrap("accept batch", err)
	}
	var idempotencyKey *string
	if key != "" {
		idempotencyKey = &key
	}
	lists := make([]string, 0, len(reader.Lists()))
	for _, list := range reader.Lists() {
		lists = append(lists, string(list))
	}
	return wrap("accept batch", queries.InsertImport(ctx, guidesql.InsertImportParams{
		ID: id, QueueNumber: number, IdempotencyKey: idempotencyKey, ContentHash: reader.Hash(),
		Mode: string(reader.Mode()), Lists: lists, Objects: int32(reader.Objects()),
	}))
}
