package petpost

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"time"

	"vestnik/internal/post"
)

// Post is a wall post as it was read and understood.
type Post struct {
	post.Post

	Reading Reading
	// Fingerprint tells posts about one animal from others.
	Fingerprint Fingerprint

	// Additions are what other posts of its case say and this one does not.
	Additions []Addition
	// Update: it is told as news about a case that was told before.
	Update bool
}

// AsUpdate is the post as it is told in answer to the first message of its case.
func (p Post) AsUpdate() Post {
	p.Additions, p.Update = nil, true
	return p
}

// ReadPost reads the texts of a post, as this build's rules have it.
func ReadPost(raw post.Post) Post { return ReadOn(nil, raw) }

// ReadOn is ReadPost where it is known what the post's wall repeats.
func ReadOn(wall *WallContext, raw post.Post) Post {
	input := Input{Text: raw.Text, Reposts: raw.RepostTexts(), PostedAt: raw.PostedAt, Wall: wall}
	reading := Parse(input)
	read := Post{Post: raw, Reading: reading, Fingerprint: NewFingerprint(raw.ID, cmp.Or(raw.Origin, raw.ID), input, reading)}
	read.NotePhotos()
	return read
}

// NotePhotos takes the hashes of its photos over into the fingerprint.
func (p *Post) NotePhotos() {
	p.Fingerprint.Photos = nil
	for _, photo := range p.Photos {
		if photo.Hash != (post.PhotoHash{}) {
			p.Fingerprint.Photos = append(p.Fingerprint.Photos, photo.Hash)
		}
	}
}

// OfType is the post as a person says that it is to be taken.
func (p Post) OfType(kind Type) Post {
	p.Reading.Type, p.Reading.Confidence, p.Reading.Alternatives, p.Reading.ByHand = kind, 1, nil, true
	p.Fingerprint.Type = kind
	return p
}

// Version changes when the messages about the post are to change.
func (p Post) Version() []byte {
	hash := sha256.New()
	_, _ = hash.Write(p.ContentHash)
	_, _ = fmt.Fprintf(hash, " deleted %t closed %t", !p.DeletedAt.IsZero(), p.CaseClosed && p.Reading.Type != Reunited)
	if p.Reading.ByHand {
		_, _ = fmt.Fprintf(hash, " type %s", p.Reading.Type)
	}
	if len(p.Additions) > 0 {
		_, _ = fmt.Fprintf(hash, " added %v", p.Additions)
	}
	return hash.Sum(nil)[:16]
}

// Written is when the post was last written: the happy end often goes into the old
// one.
func (p Post) Written() time.Time {
	if p.EditedAt.After(p.PostedAt) {
		return p.EditedAt
	}
	return p.PostedAt
}
