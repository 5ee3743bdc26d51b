package guidedb

import (
	"context"
	"time"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// Until when a photo is left alone after it was looked at.
const (
	recheckGood    = 24 * time.Hour
	recheckBad     = 6 * time.Hour
	recheckUnknown = 30 * time.Minute
	// claimTime is how long whoever took a photo up has to look at it.
	claimTime = 10 * time.Minute
)

// DuePhoto is a photo to be looked at.
type DuePhoto struct {
	ID  int64
	URL string
}

// PhotoFinding is what a look at a photo found.
type PhotoFinding struct {
	// Reason is why Telegram would not show it, "" if it would.
	Reason string
	// Passing says that the reason may go away by itself: no connection.
	Passing bool
	// Hash is the SHA-256 of the file, nil if there is none.
	Hash          []byte
	MediaType     string
	Bytes         int64
	Width, Height int
}

// ClaimDuePhotos takes up to limit photos that are due, those waiting longest
// first. Nobody else is given them for ten minutes.
func (i *Imports) ClaimDuePhotos(ctx context.Context, now time.Time, limit int) ([]DuePhoto, error) {
	rows, err := i.queries.ClaimDuePhotos(ctx, guidesql.ClaimDuePhotosParams{
		Now: now, ClaimedUntil: now.Add(claimTime), MaxPhotos: int64(limit),
	})
	return all("claim photos", rows, err, func(row guidesql.ClaimDuePhotosRow) DuePhoto { return DuePhoto{ID: row.ID, URL: row.Url} })
}

// RecordPhoto keeps a finding. Another image than before, or a good one after
// a bad one, is served under a new version of its address, because Telegram
// remembers what it got from the old one for days.
func (i *Imports) RecordPhoto(ctx context.Context, id int64, finding PhotoFinding, now time.Time) error {
	state, due := "good", now.Add(recheckGood)
	switch {
	case finding.Passing:
		state, due = "bad", now.Add(recheckUnknown)
	case finding.Reason != "":
		state, due = "bad", now.Add(recheckBad)
	}
	return wrap("record photo", i.queries.RecordPhoto(ctx, guidesql.RecordPhotoParams{
		ID: id, State: state, Reason: finding.Reason, CheckedAt: now, DueAt: due, ContentHash: finding.Hash,
		MediaType: finding.MediaType, Bytes: finding.Bytes, Width: finding.Width, Height: finding.Height,
	}))
}

// PhotoReport lists the photos that Telegram would not show, and where they
// are used.
func (i *Imports) PhotoReport(ctx context.Context) (content.PhotoReport, error) {
	counts, err := i.queries.CountPhotos(ctx)
	if err != nil {
		return content.PhotoReport{}, wrap("photo report", err)
	}
	rows, err := i.queries.ListBadPhotos(ctx, content.MaxRefusedListed)
	bad, err := all("photo report", rows, err, func(row guidesql.ListBadPhotosRow) content.BadPhoto {
		return content.BadPhoto{URL: row.Url, Reason: row.Reason, CheckedAt: row.CheckedAt, UsedBy: row.UsedBy}
	})
	return content.PhotoReport{Photos: content.Photos{Due: int(counts.Due), Good: int(counts.Good), Bad: int(counts.Bad)}, BadPhotos: bad}, err
}
