package vk

import (
	"encoding/json"
	"time"
)

// TokenKind is the kind of a VK access token. What each may do is the state of 2026: no kind does everything.
type TokenKind string

// The kinds of token.
const (
	ServiceToken   TokenKind = "service"   // an application's service key: reads
	CommunityToken TokenKind = "community" // a community's key: posts to its own wall, no reading of walls, no photos
	UserToken      TokenKind = "user"      // a person's token: what its rights say
)

// Token is an access token.
type Token struct {
	Name  string    `json:"name"` // how recorded calls call it
	Value string    `json:"value"`
	Kind  TokenKind `json:"kind"`
	// Owner is the community (positive group id) or user that it belongs to.
	Owner int64 `json:"owner,omitempty"`
	// Rights of a community or user token: wall, photos, … nil means all.
	Rights []string `json:"rights,omitempty"`
	// PerSecond is the rate over which error 6 answers. 0 means the kind's: 20 for communities, 3 for others; negative
	// means no limit.
	PerSecond int `json:"per_second,omitempty"`
	// DailyWallGet is the quota of wall.get in 24 hours, over which error 29 answers. 0 means VK's 5,000; negative
	// means no limit.
	DailyWallGet int `json:"daily_wall_get,omitempty"`
}

// WallState says whether a wall can be read.
type WallState string

// The states of a wall.
const (
	OpenWall    WallState = ""        // everyone reads it
	ClosedWall  WallState = "closed"  // members only: error 15
	BannedWall  WallState = "banned"  // blocked by VK: error 19
	DeletedWall WallState = "deleted" // gone: error 15
)

// Wall is the wall of a community (negative owner id) or a person.
type Wall struct {
	OwnerID    int64     `json:"owner_id"`
	ScreenName string    `json:"screen_name,omitempty"`
	Name       string    `json:"name"`
	About      string    `json:"about,omitempty"`
	State      WallState `json:"state,omitempty"`
	// Writers are the names of user tokens that administer the wall. The community's own token writes without being
	// named; a person's token writes to their own wall.
	Writers []string `json:"writers,omitempty"`
	// LinksForbidden makes posts with outside links answer 222.
	LinksForbidden bool `json:"links_forbidden,omitempty"`
	// DropForeignPhotos lets photos of other owners vanish from new posts in silence, as VK does where it may not show
	// them.
	DropForeignPhotos bool `json:"drop_foreign_photos,omitempty"`
	// TextLimit is the longest message in characters; 16,384 if 0. VK publishes none.
	TextLimit int `json:"text_limit,omitempty"`
}

// Post is a post of a VK wall.
type Post struct {
	OwnerID  int64       `json:"owner_id"`
	ID       int64       `json:"id"` // given by the wall if 0
	Date     time.Time   `json:"date"`
	FromID   int64       `json:"from_id,omitempty"` // the author; the owner if 0
	SignerID int64       `json:"signer_id,omitempty"`
	Text     string      `json:"text"`
	Photos   []WallPhoto `json:"photos,omitempty"`
	// Attachments are further attachments, each as VK gives them: {"type":"video","video":{…}}.
	Attachments []json.RawMessage `json:"attachments,omitempty"`
	// Reposts is copy_history, the nearest parent first.
	Reposts []Post `json:"reposts,omitempty"`
	Pinned  bool   `json:"pinned,omitempty"`
	Ads     bool   `json:"ads,omitempty"` // marked_as_ads
	// DonutOnly posts show a placeholder instead of text and attachments.
	DonutOnly bool      `json:"donut_only,omitempty"`
	Type      string    `json:"type,omitempty"` // post_type; "post" if empty; postpone and suggest are shown to administrators only
	Edited    time.Time `json:"edited,omitzero"`
	Copyright string    `json:"copyright,omitempty"` // link to the source
	Likes     int       `json:"likes,omitempty"`
	Comments  int       `json:"comments,omitempty"`
	// Extra adds or replaces raw fields of the post, to try decoders.
	Extra map[string]any `json:"extra,omitempty"`
	// GUID of the wall.post that made it.
	GUID string `json:"guid,omitempty"`
	// By is the name of the token that posted it; empty for those put there by hand.
	By string `json:"by,omitempty"`
}

// WallPhoto is a photo in VK.
type WallPhoto struct {
	OwnerID   int64     `json:"owner_id"`
	ID        int64     `json:"id"` // given by the sandbox if 0
	AccessKey string    `json:"access_key,omitempty"`
	URL       string    `json:"url"` // of the largest size
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	Date      time.Time `json:"date,omitzero"`
	// Drawing names a picture that the sandbox draws itself, in any size; URL is then not needed.
	Drawing string `json:"drawing,omitempty"`
	// OddSizes writes the sizes as some old posts have them: no width and height, or crops only.
	OddSizes bool `json:"odd_sizes,omitempty"`
}
