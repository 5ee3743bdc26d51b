package vk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// request is a call of the VK API. The first thing wrong with it ends it, and a method looks at refused before it acts.
type request struct {
	platform *Platform
	token    *tokenUse // nil if it is not known
	form     *core.Form
	params   params
	method   string
	stored   []int64
	refused  *refusal
	// sentToken tells a call without a token from one with an unknown token.
	sentToken bool
}

// refuse keeps the first refusal; nil is none. It reports whether the request has been refused.
func (q *request) refuse(r *refusal) bool {
	q.refused = cmp.Or(q.refused, r)
	return q.refused != nil
}

// bad refuses the request for a parameter, with error 100.
func (q *request) bad(format string, args ...any) { q.refuse(badParameter(format, args...)) }

// params are the parameters of all methods.
type params struct {
	Owner       int64  `json:"owner_id"`
	Group       int64  `json:"group_id"`
	Groups      string `json:"group_ids"`
	Users       string `json:"user_ids"`
	ScreenName  string `json:"screen_name"`
	Offset      int    `json:"offset"`
	Count       int    `json:"count"`
	Posts       string `json:"posts"`
	Depth       int    `json:"copy_history_depth"`
	Post        int64  `json:"post_id"`
	FromGroup   int    `json:"from_group"`
	Message     string `json:"message"`
	Attachments string `json:"attachments"`
	GUID        string `json:"guid"`
	Copyright   string `json:"copyright"`
	Photo       string `json:"photo"`
	Server      int64  `json:"server"`
	Hash        string `json:"hash"`
}

// method is what a method takes, who may call it, and what it does. v.mu is held while it runs.
type method struct {
	parameters string // those that must be there end in !
	// kinds may call it; others are told so by 27 or 28.
	kinds []TokenKind
	right string // needed of community and user tokens
	run   func(*request) any
}

// Parameters that every method takes.
const commonParameters = " v lang https test_mode captcha_sid captcha_key captcha_ts captcha_attempt success_token confirm "

var (
	readers = []TokenKind{ServiceToken, UserToken}
	writers = []TokenKind{CommunityToken, UserToken}
	people  = []TokenKind{UserToken}
)

// methods are the methods the sandbox answers: those that Vestnik calls.
var methods map[string]method

func init() { // a literal would be an initialisation cycle through request
	methods = map[string]method{
		"utils.resolveScreenName":    {"screen_name!", append(writers, ServiceToken), "", (*request).resolveScreenName},
		"groups.getById":             {"group_ids!", append(writers, ServiceToken), "", (*request).groupsGetByID},
		"users.get":                  {"user_ids!", append(writers, ServiceToken), "", (*request).usersGet},
		"wall.get":                   {"owner_id! offset count filter extended", readers, "", (*request).wallGet},
		"wall.getById":               {"posts! copy_history_depth", readers, "", (*request).wallGetByID},
		"wall.post":                  {"owner_id! from_group message attachments mute_notifications guid copyright", writers, "wall", (*request).wallPost},
		"wall.edit":                  {"owner_id! post_id! message attachments copyright", people, "wall", (*request).wallEdit},
		"wall.delete":                {"owner_id! post_id!", people, "wall", (*request).wallDelete},
		"photos.getWallUploadServer": {"group_id", people, "photos", (*request).getWallUploadServer},
		"photos.saveWallPhoto":       {"group_id photo! server! hash!", people, "photos", (*request).saveWallPhoto},
	}
}

// read checks the token, its rate, who calls, and the parameters. VK itself passes over unknown parameters; here a
// misspelt one must fail. v.mu is held.
func (q *request) read(m method) {
	switch {
	case q.token == nil && !q.sentToken:
		q.refuse(refuse(15, "Access denied: no access_token passed."))
		return
	case q.token == nil:
		q.refuse(standard(5))
		return
	case !q.token.admitted(q.platform.core.Now()):
		q.refuse(standard(6))
	case m.run == nil:
		q.refuse(standard(3))
	case q.form.Fields["v"] == "":
		q.refuse(refuse(8, "Invalid request: v (version) is required"))
	case !slices.Contains(m.kinds, q.token.Kind):
		q.refuse(standard(map[TokenKind]int{CommunityToken: 27, ServiceToken: 28}[q.token.Kind]))
	case m.right != "" && q.token.Rights != nil && !slices.Contains(q.token.Rights, m.right):
		q.refuse(&refusal{code: 15, message: "Access denied: no access to call this method. It cannot be called with current scopes.",
			extra: map[string]any{"error_subcode": 1133}})
	}
	unknown, missing := q.form.Check(m.parameters + commonParameters)
	if unknown != "" {
		q.bad("sandbox: unknown parameter %q in %s", unknown, q.method)
	}
	if missing != "" {
		q.bad("%s is undefined", missing)
	}
	q.params.Count, q.params.Depth = 20, 2
	if err := q.form.Read(&q.params); err != nil {
		q.bad("%s", err)
	}
}

// admitted counts a call against the rate of the last second.
func (k *tokenUse) admitted(now time.Time) bool {
	usual := 3
	if k.Kind == CommunityToken {
		usual = 20
	}
	return counted(&k.calls, now, time.Second, cmp.Or(k.PerSecond, usual))
}

// counted counts a call; false if there were as many as may be within a span. A negative limit is none.
func counted(calls *core.Window, now time.Time, span time.Duration, limit int) bool {
	if limit > 0 && calls.Wait(now, span, 1, limit) > 0 {
		return false
	}
	if limit > 0 {
		calls.Count(now, 1)
	}
	return true
}

func (q *request) resolveScreenName() any {
	w := q.platform.named(q.params.ScreenName)
	switch {
	case w == nil:
		return []any{} // not found is an empty list, not an error
	case w.OwnerID < 0:
		return map[string]any{"object_id": -w.OwnerID, "type": "group"}
	}
	return map[string]any{"object_id": w.OwnerID, "type": "user"}
}

func (q *request) groupsGetByID() any {
	groups := []any{}
	for _, w := range q.owners(q.params.Groups, -1) {
		groups = append(groups, map[string]any{"id": -w.OwnerID, "name": w.Name, "screen_name": w.ScreenName, "is_closed": 0, "type": "group"})
	}
	return map[string]any{"groups": groups, "profiles": []any{}}
}

func (q *request) usersGet() any {
	users := []any{}
	for _, w := range q.owners(q.params.Users, 1) {
		first, last, _ := strings.Cut(w.Name, " ")
		users = append(users, map[string]any{"id": w.OwnerID, "first_name": first, "last_name": last})
	}
	return users
}

// owners are the walls of a list of numbers; those that there are not are left out.
func (q *request) owners(list string, sign int64) (walls []*wall) {
	for text := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			q.bad("%q is invalid", text)
		} else if w := q.platform.walls[sign*id]; w != nil {
			walls = append(walls, w)
		}
	}
	return walls
}

// named finds a wall by screen name, club123, public123 or id123. v.mu is held.
func (v *Platform) named(name string) *wall {
	for _, w := range v.walls {
		if w.ScreenName != "" && strings.EqualFold(w.ScreenName, name) {
			return w
		}
	}
	for prefix, sign := range map[string]int64{"club": -1, "public": -1, "id": 1} {
		if digits, found := strings.CutPrefix(strings.ToLower(name), prefix); found {
			if id, err := strconv.ParseInt(digits, 10, 64); err == nil {
				return v.walls[sign*id]
			}
		}
	}
	return nil
}
