package db

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// Posts keeps what was read from the walls.
type Posts struct{ store }

// NewPosts returns the store of posts in the database behind pool.
func NewPosts(pool *pgxpool.Pool) *Posts { return &Posts{newStore(pool)} }

// The posts and their parts that the stores return.
type (
	// Post is a post as it was read and understood.
	Post = petpost.Post
	// Photo is a photo of a post.
	Photo = post.Photo
	// PhotoSize is one link to a photo.
	PhotoSize = post.Size
	// Attachment is anything attached to a post that is not a photo.
	Attachment = post.Attachment
)

// Get returns a stored post, or ErrNotFound.
func (s *Posts) Get(ctx context.Context, ownerID, postID int64) (Post, error) {
	row, err := s.queries.GetPost(ctx, relaysql.GetPostParams{OwnerID: ownerID, PostID: postID})
	if err != nil {
		return Post{}, notFound(err, "post %s", protocol.WallPost(ownerID, postID))
	}
	post := postOf(row.RelayPost)
	if post.CaseClosed = row.CaseClosed; row.CaseClosed || !row.HasOthers {
		return post, nil
	}
	others, err := othersOf(ctx, s.queries, post)
	post.Additions = petpost.Additions(post, others)
	return post, err
}

// mostHeard is how many posts of a case, the newest, are asked what they add.
const mostHeard = 100

// othersOf are the other posts of a post's case, the oldest first.
func othersOf(ctx context.Context, q *relaysql.Queries, post Post) ([]Post, error) {
	rows, err := q.OthersOfCase(ctx, relaysql.OthersOfCaseParams{CaseID: post.CaseID, OwnerID: post.OwnerID, PostID: post.PostID, Most: mostHeard})
	slices.Reverse(rows)
	return listOf(rows, postOf), wrap(err, "other posts of case %d", post.CaseID)
}

// Known returns the content hashes of those of the given posts that are
// stored, by post id.
func (s *Posts) Known(ctx context.Context, ownerID int64, postIDs []int64) (map[int64][]byte, error) {
	rows, err := s.queries.KnownPosts(ctx, relaysql.KnownPostsParams{OwnerID: ownerID, PostIds: postIDs})
	known := make(map[int64][]byte, len(rows))
	for _, row := range rows {
		known[row.PostID] = row.ContentHash
	}
	return known, wrap(err, "known posts of wall %d", ownerID)
}

// Owed is a delivery that a post calls for.
type Owed struct {
	Destination string
	// Weight is how many messages its first part counts for.
	Weight int
	// Suppressed is why the delivery is not to be made after all; "" if it is.
	Suppressed string
	// Ask: a person is to be asked before it goes; a slug for why. AskFor is how
	// long, 0 for no limit, and Silence what happens then if nobody has
	// answered: publish or drop.
	Ask     string
	AskFor  time.Duration
	Silence string
	// Wanted: a person has asked for it, whatever the post's age.
	Wanted bool
	// Later: it goes after everything that is fresh.
	Later bool

	duplicateOf int64 // the delivery that stands for a suppressed one
	replyTo     int64 // the delivery whose first message this one answers
}

// Page is what a reading of a wall brings home.
type Page struct {
	// Posts are in the order of writing.
	Posts []Post
	// NewestFirst owes the newest of them first; a case's in the order of writing.
	NewestFirst bool
	// Owed says what a new post calls for.
	Owed func(Post) []Owed
	// Update says what it takes to bring a destination the news about a case
	// that was told there before, whatever the routes say; false if it is not
	// to be told. nil tells none.
	Update func(post Post, destination string) (Owed, bool)
	// Window is how long a case counts as told at a destination.
	Window time.Duration
	// Rules is the version of the rules behind Owed; it is kept with the posts.
	Rules string
	// Wall records the reading in the same transaction; nil for posts that
	// come another way.
	Wall *WallRead
}

// PageStored counts what StorePage wrote.
type PageStored struct {
	New, Edited, Owed int
	// Suppressed counts deliveries whose case is told already, Edits the
	// posts and cases whose messages are to be edited.
	Suppressed, Edits int
	// SetAside are the posts that could not be stored.
	SetAside []SetAside
}

// SetAside is a post that could not be stored, though the database works.
type SetAside struct {
	OwnerID, PostID int64
	Reason          string // without any of the post's words
}

func (s SetAside) String() string {
	return protocol.WallPost(s.OwnerID, s.PostID) + ": " + s.Reason
}

// StorePage writes posts, each into its case, the deliveries that new ones call
// for, and the wall's cursor in one transaction. Posts that another reader has
// stored in the meantime owe nothing twice, and a case that two readers meet at
// once is one case. A post that can't be stored is set aside and costs the page
// nothing; it is tried again when it is read again.
func (s *Posts) StorePage(ctx context.Context, page Page) (PageStored, error) {
	stored, err := s.storePage(ctx, page, false)
	if reason := unstorable(err); reason != "" {
		stored, err = s.storePage(ctx, page, true)
	}
	if err != nil {
		return PageStored{}, fmt.Errorf("store page: %w", err)
	}
	return stored, nil
}

// storePage writes a page; singly puts a savepoint before each post, two round
// trips that hardly any page needs.
func (s *Posts) storePage(ctx context.Context, page Page, singly bool) (stored PageStored, err error) {
	err = s.filed(ctx, page, func(f *filing) error {
		f.singly = singly
		if err := f.run(ctx); err != nil {
			return err
		}
		stored = f.stored
		if page.Wall != nil {
			return page.Wall.record(ctx, f.q, stored.SetAside)
		}
		return nil
	})
	return stored, err
}

// filed does work on a page in one transaction, and again if it is undone.
func (s *Posts) filed(ctx context.Context, page Page, work func(*filing) error) error {
	return again(ctx, func() error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			return work(&filing{tx: tx, q: s.queries.WithTx(tx), page: page, now: time.Now()})
		})
	})
}

// Owe writes a delivery of a stored post that an operator asks for, and
// returns its id; one that exists already keeps its row. ErrBlanked if nothing is
// kept of the post that could be sent.
func (s *Posts) Owe(ctx context.Context, ownerID, postID int64, owed Owed) (id int64, created bool, err error) {
	post, err := s.Get(ctx, ownerID, postID)
	if err == nil && !post.BlankedAt.IsZero() {
		err = ErrBlanked
	}
	if err != nil {
		return 0, false, err
	}
	err = s.inTx(ctx, func(q *relaysql.Queries) error {
		destination, err := destinationID(ctx, q, owed.Destination)
		if err == nil {
			id, created, err = owe(ctx, q, destination, post, owed)
		}
		return err
	})
	return id, created, wrap(err, "owe %s to %s", protocol.WallPost(ownerID, postID), owed.Destination)
}

func owe(ctx context.Context, q *relaysql.Queries, destinationID int64, post Post, owed Owed) (id int64, created bool, err error) {
	status := protocol.StatusPending
	if owed.Suppressed != "" {
		status = protocol.StatusSuppressed
	} else if owed.Ask != "" { // recovery gives it a workflow, which waits
		status = protocol.StatusParked
	}
	id, err = q.OweDelivery(ctx, relaysql.OweDeliveryParams{
		DestinationID: destinationID, OwnerID: post.OwnerID, PostID: post.PostID,
		WorkflowID: protocol.DeliveryWorkflowID(owed.Destination, post.OwnerID, post.PostID),
		Weight:     max(owed.Weight, 1), Status: status, Reason: cmp.Or(owed.Suppressed, owed.Ask),
		CaseID: unlessZero(post.CaseID), ReplyTo: unlessZero(owed.replyTo), DuplicateOf: unlessZero(owed.duplicateOf), Wanted: owed.Wanted,
		Ask: owed.Ask, AskFor: unlessZero(owed.AskFor), Silence: owed.Silence,
		Urgent: !owed.Later && (owed.Wanted || fresh(post)),
	})
	if !errorsIsNoRows(err) {
		return id, err == nil, err
	}
	id, err = q.DeliveryID(ctx, relaysql.DeliveryIDParams{DestinationID: destinationID, OwnerID: post.OwnerID, PostID: post.PostID})
	return id, false, err
}

// freshFor is how old news about a search may be, when it is owed, to go before
// everything else.
const freshFor = 6 * time.Hour

func fresh(post Post) bool {
	return stage[post.Reading.Type] > 0 && time.Since(post.Written()) < freshFor
}

func destinationID(ctx context.Context, q *relaysql.Queries, name string) (int64, error) {
	id, err := q.DestinationID(ctx, name)
	if errorsIsNoRows(err) {
		return q.AddDestination(ctx, name)
	}
	return id, err
}

func rowOf(post Post) relaysql.StorePostParams {
	r := post.Reading
	return relaysql.StorePostParams{
		OwnerID: post.OwnerID, PostID: post.PostID, FromID: post.FromID,
		PostedAt: post.PostedAt, EditedAt: unlessZero(post.EditedAt),
		Text: clean(post.Text), Reposts: cleanAll(post.RepostTexts()), Parents: notNil(post.Reposts),
		OriginOwnerID: unlessZero(post.Origin.OwnerID), OriginPostID: unlessZero(post.Origin.PostID),
		Photos: notNil(post.Photos), Attachments: notNil(post.Attachments),
		Link:        post.URL(),
		ContentHash: post.ContentHash,
		Type:        string(r.Type), Animal: string(r.Animal), Sex: string(r.Sex), Name: clean(r.Name),
		Phones: cleanAll(r.Phones), Location: clean(r.Location), WhenSaid: clean(r.When), Contacts: cleanAll(r.Contacts),
		Reading: r, RulesetVersion: petpost.RulesetVersion, Fingerprint: &post.Fingerprint,
		CaseID: unlessZero(post.CaseID), CaseReason: post.CaseReason, Keys: hashedKeys(post.Fingerprint),
	}
}

func postOf(row relaysql.RelayPost) Post {
	stored := Post{
		Post: post.Post{
			ID:     post.ID{OwnerID: row.OwnerID, PostID: row.PostID},
			FromID: row.FromID, PostedAt: row.PostedAt, EditedAt: orZero(row.EditedAt),
			Text: row.Text, Reposts: repostsOf(row),
			Origin: post.ID{OwnerID: orZero(row.OriginOwnerID), PostID: orZero(row.OriginPostID)},
			Photos: row.Photos, Attachments: row.Attachments, ContentHash: row.ContentHash,
			CaseID: orZero(row.CaseID), CaseReason: row.CaseReason, DeletedAt: orZero(row.DeletedAt), BlankedAt: orZero(row.BlankedAt), Rules: row.Rules,
		},
		Reading: row.Reading, Fingerprint: orZero(row.Fingerprint),
	}
	if row.TypeByHand {
		stored = stored.OfType(petpost.Type(row.Type))
	}
	return stored
}

// repostsOf are what a post reposts; a build before this one kept no more than
// the texts and the last one's name.
func repostsOf(row relaysql.RelayPost) []post.Repost {
	reposts := make([]post.Repost, len(row.Reposts))
	copy(reposts, row.Parents)
	for i, text := range row.Reposts {
		reposts[i].Text = text
	}
	if last := len(reposts) - 1; last >= 0 && reposts[last].PostID == 0 {
		reposts[last].ID = post.ID{OwnerID: orZero(row.OriginOwnerID), PostID: orZero(row.OriginPostID)}
	}
	return reposts
}

// PostGlance is a post as a list shows it.
type PostGlance struct {
	ID             post.ID
	PostedAt       time.Time
	Type           petpost.Type
	Animal         petpost.Animal
	Name, Location string
	Photo          *Photo // the first one, nil if there is none
	Wall           string // the name under which its wall is watched, "" if none is known
	Deleted        bool
	Statuses       []string // those of its deliveries, each once; none: it was not to go anywhere
}

// PostFilter narrows a list of posts; zero values do not.
type PostFilter struct {
	Type string
	// Search is a phone, or words of a name or a place: all of them, each by its
	// stem or the beginning of that.
	Search string
	Since  time.Time
	// Until and Before leave those that were written earlier: the next page of a
	// list follows the time and the id of its last row.
	Until  time.Time
	Before post.ID
	Limit  int
}

// List returns posts, newest first.
func (s *Posts) List(ctx context.Context, filter PostFilter) ([]PostGlance, error) {
	wanted := relaysql.ListPostsParams{
		Searched: filter.Search != "", Type: unlessZero(filter.Type), Since: filter.Since, Most: filter.Limit,
		Until: filter.Until, BeforeOwner: cmp.Or(filter.Before.OwnerID, math.MaxInt64), BeforePost: cmp.Or(filter.Before.PostID, math.MaxInt64),
	}
	if wanted.Searched {
		if phones := petpost.Parse(petpost.Input{Text: filter.Search}).Phones; len(phones) > 0 {
			wanted.Phones = phones
		} else {
			wanted.Words = unlessZero(searchWords(filter.Search))
		}
	}
	var rows []relaysql.ListPostsRow
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		queries := s.queries.WithTx(tx)
		err := queries.PlanAsAsked(ctx)
		if err == nil {
			rows, err = queries.ListPosts(ctx, wanted)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list posts: %w", err)
	}
	list := make([]PostGlance, len(rows))
	for i, row := range rows {
		list[i] = PostGlance{
			ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, Type: petpost.Type(row.Type), Animal: petpost.Animal(row.Animal),
			Name: row.Name, Location: row.Location, Wall: row.Wall, Deleted: row.Deleted, Statuses: row.Statuses,
		}
		if list[i].Photo, err = decoded[*Photo](row.Photo); err != nil {
			return nil, fmt.Errorf("photo of %s: %w", list[i].ID, err)
		}
	}
	return list, nil
}

// searchWords is a tsquery of every word's beginning.
func searchWords(text string) string {
	words := strings.FieldsFunc(strings.NewReplacer("ё", "е", "Ё", "Е").Replace(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		words[i] += ":*"
	}
	return strings.Join(words, " & ")
}
