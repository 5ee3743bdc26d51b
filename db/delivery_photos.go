package db

import (
	"context"
	"crypto/sha256"
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
	err := l.queries.LowerPhoto(ctx, relaysql.LowerPhotoParams{DeliveryID: id, Photo: photo, Rung: int(rung)})
	return wrap(err, "lower photo %d of delivery %d", photo, id)
}

// WordsFirst records that a delivery's photos can't be got now: its words go
// alone, and the photos follow a minute later at the earliest.
func (l *Ledger) WordsFirst(ctx context.Context, id int64) error {
	return wrap(l.queries.WordsFirst(ctx, id), "words first of delivery %d", id)
}

// PutOff keeps the next part of a delivery back for a while; its lane goes on.
func (l *Ledger) PutOff(ctx context.Context, id int64, wait time.Duration) error {
	return wrap(l.queries.PutOff(ctx, relaysql.PutOffParams{ID: id, Wait: wait}), "put off delivery %d", id)
}

// PhotoRungs returns the rungs of those photos of a delivery that have come down.
func (l *Ledger) PhotoRungs(ctx context.Context, id int64) (map[int]Rung, error) {
	rows, err := l.queries.PhotoRungs(ctx, id)
	rungs := make(map[int]Rung, len(rows))
	for _, row := range rows {
		rungs[row.Photo] = Rung(row.Rung)
	}
	return rungs, wrap(err, "photo rungs of delivery %d", id)
}

// SavePhoto remembers the name of a photo of a post on the VK wall it was
// uploaded for. index is its place in the post, which another photo may take
// when the post is edited.
func (l *Ledger) SavePhoto(ctx context.Context, id int64, index int, photo Photo, name string) error {
	return wrap(l.queries.SavePhoto(ctx, relaysql.SavePhotoParams{DeliveryID: id, Photo: index, Source: photo.Name(), Saved: name}), "save photo %d of delivery %d", index, id)
}

// SavedPhotos returns the names of those of a post's photos that were uploaded
// for a delivery, by their places in the post.
func (l *Ledger) SavedPhotos(ctx context.Context, id int64, photos []Photo) (map[int]string, error) {
	rows, err := l.queries.SavedPhotos(ctx, id)
	names := make(map[int]string, len(rows))
	for _, row := range rows {
		if row.Source == "" || row.Photo < len(photos) && photos[row.Photo].Name() == row.Source {
			names[row.Photo] = row.Saved
		}
	}
	return names, wrap(err, "saved photos of delivery %d", id)
}

// RefuseNames remembers that a VK wall drops photos that are only named.
func (l *Ledger) RefuseNames(ctx context.Context, destinationID int64) error {
	return wrap(l.queries.RefuseNames(ctx, destinationID), "destination %d", destinationID)
}

// linkMemory is how long a link that Telegram refused is not tried again: it
// remembers failures for "a few days" (tdlib/telegram-bot-api #782), and VK's
// links do not live much longer.
const linkMemory = 5 * 24 * time.Hour

// RefuseLink remembers a link to a photo that Telegram could not use.
func (l *Ledger) RefuseLink(ctx context.Context, link string) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		if err := q.ForgetLinks(ctx, time.Now().Add(-linkMemory)); err != nil {
			return err
		}
		return q.RefuseLink(ctx, linkHash(link))
	})
	return wrap(err, "remember a refused link")
}

// RefusedLinks returns those of the links that Telegram could not use lately.
func (l *Ledger) RefusedLinks(ctx context.Context, links ...string) (map[string]bool, error) {
	if len(links) == 0 {
		return nil, nil
	}
	hashes := make([][]byte, len(links))
	for i, link := range links {
		hashes[i] = linkHash(link)
	}
	found, err := l.queries.RefusedLinks(ctx, relaysql.RefusedLinksParams{Links: hashes, Since: time.Now().Add(-linkMemory)})
	if err != nil {
		return nil, fmt.Errorf("refused links: %w", err)
	}
	known := map[string]bool{}
	for _, hash := range found {
		known[string(hash)] = true
	}
	refused := map[string]bool{}
	for i, link := range links {
		refused[link] = known[string(hashes[i])]
	}
	return refused, nil
}

// linkHash stands for a link, which is signed and may open somebody's photo.
func linkHash(link string) []byte {
	hash := sha256.Sum256([]byte(link))
	return hash[:16]
}
