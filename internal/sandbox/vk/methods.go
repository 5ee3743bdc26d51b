package vk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// request is a call of the VK API. The first thing wrong with it ends it: everything that reads a parameter says so
// through refuse, and a method looks at refused before it acts.
type request struct {
	platform *Platform
	token    *tokenUse
	form     *core.Form
	call     *core.Call
	method   string
	stored   []int64
	refused  *refusal
	// sentToken tells a call without a token from one with an unknown token.
	sentToken bool
}

// refuse keeps the first refusal; nil is none. It reports whether the request has been refused.
func (q *request) refuse(r *refusal) bool {
	if q.refused == nil {
		q.refused = r
	}
	return q.refused != nil
}

// bad refuses the request for a parameter, with error 100.
func (q *request) bad(format string, args ...any) { q.refuse(badParameter(format, args...)) }

// method is what a method takes, who may call it, and what it does. v.mu is held while it runs.
type method struct {
	parameters string // those that must be there end in !
	// kinds may call it; others are told so by 27, 28 or 1051.
	kinds []TokenKind
	right string // needed of community and user tokens
	run   func(*request) any
}

// Parameters that every method takes.
const commonParameters = " v lang https test_mode captcha_sid captcha_key captcha_ts captcha_attempt success_token confirm "

// wrongKind are the error codes for callers with the wrong kind of token.
var wrongKind = map[TokenKind]int{CommunityToken: 27, ServiceToken: 28, VKIDToken: 1051}

var (
	readers = []TokenKind{ServiceToken, UserToken, VKIDToken}
	writers = []TokenKind{CommunityToken, UserToken}
	people  = []TokenKind{UserToken}
)

// methods are the methods the sandbox answers: those that Vestnik calls.
var methods map[string]method

func init() { // a literal would be an initialisation cycle through request
	methods = map[string]method{
		"utils.resolveScreenName":    {"screen_name!", append(writers, readers...), "", (*request).resolveScreenName},
		"groups.getById":             {"group_ids!", append(writers, readers...), "", (*request).groupsGetByID},
		"users.get":                  {"user_ids!", append(writers, readers...), "", (*request).usersGet},
		"wall.get":                   {"owner_id! offset count filter extended", readers, "", (*request).wallGet},
		"wall.getById":               {"posts! copy_history_depth", readers, "", (*request).wallGetByID},
		"wall.post":                  {"owner_id from_group message attachments mute_notifications guid copyright", writers, "wall", (*request).wallPost},
		"wall.edit":                  {"owner_id post_id! message attachments copyright", people, "wall", (*request).wallEdit},
		"wall.delete":                {"owner_id post_id!", people, "wall", (*request).wallDelete},
		"photos.getWallUploadServer": {"group_id", people, "photos", (*request).getWallUploadServer},
		"photos.saveWallPhoto":       {"group_id photo! server! hash!", people, "photos", (*request).saveWallPhoto},
	}
}

// admit checks the token and the rates. known says whether the method exists.
func (v *Platform) admit(q *request, known bool) {
	switch {
	case q.token == nil && !q.sentToken:
		q.refuse(refuse(15, "Access denied: no access_token passed."))
		return
	case q.token == nil:
		q.refuse(standard(5))
		return
	case q.token.Expired:
		q.refuse(&refusal{code: 5, subcode: 1117, message: "User authorization failed: access_token has expired."})
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	major, minor, _ := strings.Cut(q.form.Text("v"), ".")
	m, err := strconv.Atoi(minor)
	switch {
	case !q.token.admitted(v.core.Now()):
		q.refuse(standard(6))
	case !known:
		q.refuse(standard(3))
	case !q.form.Has("v"):
		q.refuse(refuse(8, "Invalid request: v (version) is required"))
	case err != nil || major != "5" || m < 81:
		q.refuse(refuse(8, "Invalid request: versions below 5.81 are deprecated. Version param should be passed as \"v\". \"version\" param is invalid and not supported. For more information go to https://dev.vk.com/"))
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

// check refuses callers without the right and parameters that do not exist. VK itself passes over unknown parameters;
// here a misspelt one must fail.
func (m method) check(q *request) {
	if code := wrongKind[q.token.Kind]; !slices.Contains(m.kinds, q.token.Kind) && code != 0 {
		q.refuse(standard(code))
	}
	if m.right != "" && !q.token.has(m.right) {
		q.refuse(&refusal{code: 15, subcode: 1133, message: "Access denied: no access to call this method. It cannot be called with current scopes."})
	}
	known := strings.Fields(m.parameters + commonParameters)
	for _, name := range q.form.Names {
		if !slices.Contains(known, name) && !slices.Contains(known, name+"!") {
			q.bad("sandbox: unknown parameter %q in %s", name, q.method)
		}
	}
	for name := range q.form.Files {
		q.bad("sandbox: unknown file %q in %s", name, q.method)
	}
	for _, name := range known {
		if name, required := strings.CutSuffix(name, "!"); required && !q.form.Has(name) {
			q.bad("%s is undefined", name)
		}
	}
}

// integer reads a whole number; absent gives otherwise.
func (q *request) integer(name string, otherwise int64) int64 {
	text := strings.TrimSpace(q.form.Text(name))
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		q.bad("%s not integer", name)
	}
	return n
}

// flag reads a checkbox: 0 or 1.
func (q *request) flag(name string) bool {
	text := q.form.Text(name)
	if text != "" && text != "0" && text != "1" {
		q.bad("%s should be 0 or 1", name)
	}
	return text == "1"
}

func (q *request) resolveScreenName() any {
	w := q.platform.named(q.form.Text("screen_name"))
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
	for _, w := range q.owners("group_ids", -1) {
		groups = append(groups, map[string]any{"id": -w.OwnerID, "name": w.Name, "screen_name": w.ScreenName, "is_closed": 0, "type": "group"})
	}
	return map[string]any{"groups": groups, "profiles": []any{}}
}

func (q *request) usersGet() any {
	users := []any{}
	for _, w := range q.owners("user_ids", 1) {
		first, last, _ := strings.Cut(w.Name, " ")
		users = append(users, map[string]any{"id": w.OwnerID, "first_name": first, "last_name": last})
	}
	return users
}

// owners are the walls of the numbers in a parameter; those that there are not are left out.
func (q *request) owners(parameter string, sign int64) (walls []*wall) {
	for text := range strings.SplitSeq(q.form.Text(parameter), ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			q.bad("%s is invalid", parameter)
		} else if w := q.platform.walls[sign*id]; w != nil {
			walls = append(walls, w)
		}
	}
	return walls
}

// named finds a wall by screen name, club123, public123 or id123. v.mu is held.
func (v *Platform) named(name string) *wall {
	if name = strings.ToLower(name); name == "" {
		return nil
	}
	for _, w := range v.walls {
		if w.ScreenName != "" && strings.ToLower(w.ScreenName) == name {
			return w
		}
	}
	for prefix, sign := range map[string]int64{"club": -1, "public": -1, "event": -1, "id": 1} {
		if digits, found := strings.CutPrefix(name, prefix); found {
			if id, err := strconv.ParseInt(digits, 10, 64); err == nil {
				return v.walls[sign*id]
			}
		}
	}
	return nil
}
