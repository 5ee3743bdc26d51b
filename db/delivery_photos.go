package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
)

// Rung is how far down the media ladder a photo of a delivery has come.
type Rung int

// The rungs, from the best down.
const (
	RungURL     Rung = iota // the platform gets the photo by its URL
	RungUpload              // we get it and upload the bytes
	RungSmaller             // we upload a smaller one
	RungDropped             // the post goes without it
)

// String is the rung's name in the record of attempts.
func (r Rung) String() string {
	return [...]string{"url", "upload", "smaller", "dropped"}[min(max(r, RungURL), RungDropped)]
}

// LowerPhoto records that a photo, counted from 0, has come down to a rung.
func (l *Ledger) LowerPhoto(ctx context.Context, id int64, photo int, rung Rung) error {
	err := l.queries.LowerPhoto(ctx, relaysql.LowerPhotoParams{DeliveryID: id, Photo: int32(photo), Rung: int32(rung)})
	if err != nil {
		return fmt.Errorf("lower photo %d of delivery %d: %w", photo, id, err)
	}
	return nil
}

// WordsFirst records that a delivery's photos can't be got now: its words go
// alone, and the photos follow a minute later at the earliest.
func (l *Ledger) WordsFirst(ctx context.Context, id int64) error {
	if err := l.queries.WordsFirst(ctx, id); err != nil {
		return fmt.Errorf("words first of delivery %d: %w", id, err)
	}
	return nil
}

// PutOff keeps the next part of a delivery back for a while; its lane goes on.
func (l *Ledger) PutOff(ctx context.Context, id int64, wait time.Duration) error {
	if err := l.queries.PutOff(ctx, relaysql.PutOffParams{ID: id, Wait: wait}); err != nil {
		return fmt.Errorf("put off delivery %d: %w", id, err)
	}
	return nil
}

// PhotoRungs returns the rungs of those photos of a delivery that have come down.
func (l *Ledger) PhotoRungs(ctx context.Context, id int64) (map[int]Rung, error) {
	rows, err := l.queries.PhotoRungs(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("photo rungs of delivery %d: %w", id, err)
	}
	rungs := make(map[int]Rung, len(rows))
	for _, row := range rows {
		rungs[int(row.Photo)] = Rung(row.Rung)
	}
	return rungs, nil
}

// SavePhoto remembers the name of a photo of a post on the VK wall it was
// uploaded for. index is its place in the post, which another photo may take
// when the post is edited.
func (l *Ledger) SavePhoto(ctx context.Context, id int64, index int, photo Photo, name string) error {
	if err := l.queries.SavePhoto(ctx, relaysql.SavePhotoParams{DeliveryID: id, Photo: int32(index), Source: photo.Name(), Saved: name}); err != nil {
		return fmt.Errorf("save photo %d of delivery %d: %w", index, id, err)
	}
	return nil
}

// SavedPhotos returns the names of those of a post's photos that were uploaded
// for a delivery, by their places in the post.
func (l *Ledger) SavedPhotos(ctx context.Context, id int64, photos []Photo) (map[int]string, error) {
	rows, err := l.queries.SavedPhotos(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("saved photos of delivery %d: %w", id, err)
	}
	names := make(map[int]string, len(rows))
	for _, row := range rows {
		index := int(row.Photo)
		if row.Source == "" || index < len(photos) && photos[index].Name() == row.Source {
			names[index] = row.Saved
		}
	}
	return names, nil
}

// RefuseNames remembers that a VK wall drops photos that are only named.
func (l *Ledger) RefuseNames(ctx context.Context, destinationID int64) error {
	if err := l.queries.RefuseNames(ctx, destinationID); err != nil {
		return fmt.Errorf("destination %d: %w", destinationID, err)
	}
	return nil
}
