package sandbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// vkRequest is a call of the VK API.
type vkRequest struct {
	vk     *vk
	token  *token
	form   *form
	call   *Call
	method string
	stored []int64
	// sentToken tells a call without a token from one with an unknown token.
	sentToken bool
}

// vkMethod is what a method takes, who may call it, and what it does.
type vkMethod struct {
	parameters []string
	required   []string
	// kinds may call it; others are told so by 27, 28 or 1051.
	kinds []TokenKind
	right string // needed of community and user tokens
	run   func(*vkRequest) (any, *vkError)
}

// Parameters that every method takes.
var vkCommon = []string{"v", "lang", "https", "test_mode", "captcha_sid", "captcha_key", "captcha_ts", "captcha_attempt", "success_token", "confirm"}

var (
	readers   = []TokenKind{ServiceToken, UserToken, VKIDToken}
	everybody = []TokenKind{ServiceToken, CommunityToken, UserToken, VKIDToken}
	people    = []TokenKind{UserToken}
)

// vkMethods are the methods the sandbox answers.
var vkMethods map[string]vkMethod

func init() { // a literal would be an initialisation cycle through vkRequest
	vkMethods = map[string]vkMethod{
		"utils.getServerTime":        {run: (*vkRequest).getServerTime, kinds: everybody},
		"utils.resolveScreenName":    {run: (*vkRequest).resolveScreenName, kinds: everybody, parameters: []string{"screen_name"}, required: []string{"screen_name"}},
		"groups.getById":             {run: (*vkRequest).groupsGetByID, kinds: everybody, parameters: []string{"group_ids", "group_id", "fields"}},
		"groups.getTokenPermissions": {run: (*vkRequest).groupsGetTokenPermissions, kinds: []TokenKind{CommunityToken}},
		"wall.get": {run: (*vkRequest).wallGet, kinds: readers,
			parameters: []string{"owner_id", "domain", "offset", "count", "filter", "extended", "fields"}},
		"wall.getById": {run: (*vkRequest).wallGetByID, kinds: readers,
			parameters: []string{"posts", "extended", "copy_history_depth", "fields"}, required: []string{"posts"}},
		"wall.post": {run: (*vkRequest).wallPost, kinds: []TokenKind{CommunityToken, UserToken}, right: "wall",
			parameters: []string{"owner_id", "friends_only", "from_group", "message", "attachments", "services", "signed", "publish_date",
				"lat", "long", "place_id", "post_id", "guid", "mark_as_ads", "link_title", "link_photo_id", "close_comments",
				"donut_paid_duration", "mute_notifications", "copyright", "topic_id", "primary_attachments_mode"}},
		"wall.edit": {run: (*vkRequest).wallEdit, kinds: people, right: "wall",
			parameters: []string{"owner_id", "post_id", "friends_only", "message", "attachments", "services", "signed", "publish_date",
				"lat", "long", "place_id", "mark_as_ads", "close_comments", "donut_paid_duration", "poster_bkg_id", "poster_bkg_owner_id",
				"poster_bkg_access_hash", "copyright", "topic_id"}, required: []string{"post_id"}},
		"wall.delete": {run: (*vkRequest).wallDelete, kinds: people, right: "wall",
			parameters: []string{"owner_id", "post_id"}, required: []string{"post_id"}},
		"wall.checkCopyrightLink": {run: (*vkRequest).wallCheckCopyrightLink, kinds: people, parameters: []string{"link"}, required: []string{"link"}},
		"photos.getWallUploadServer": {run: (*vkRequest).getWallUploadServer, kinds: people, right: "photos",
			parameters: []string{"group_id"}},
		"photos.saveWallPhoto": {run: (*vkRequest).saveWallPhoto, kinds: people, right: "photos",
			parameters: []string{"user_id", "group_id", "photo", "server", "hash", "latitude", "longitude", "caption"},
			required:   []string{"photo", "server", "hash"}},
		"photos.getById": {run: (*vkRequest).photosGetByID, kinds: readers, parameters: []string{"photos", "extended", "photo_sizes"}, required: []string{"photos"}},
	}
}

// admit checks the token and the rates. known says whether the method exists.
func (v *vk) admit(q *vkRequest, known bool) *vkError {
	switch {
	case q.token == nil && !q.sentToken:
		return &vkError{code: 15, message: "Access denied: no access_token passed."}
	case q.token == nil:
		return vkFail(5, "User authorization failed: invalid access_token (4).")
	case q.token.Expired:
		return &vkError{code: 5, subcode: 1117, message: "User authorization failed: access_token has expired."}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !q.token.admitted(v.server.now()) {
		return vkFail(6, "Too many requests per second")
	}
	if !known {
		return vkFail(3, "Unknown method passed")
	}
	version := q.form.text("v")
	if version == "" {
		return vkFail(8, "Invalid request: v (version) is required")
	}
	major, minor, _ := strings.Cut(version, ".")
	if m, err := strconv.Atoi(minor); err != nil || major != "5" || m < 81 {
		return vkFail(8, "Invalid request: versions below 5.81 are deprecated. Version param should be passed as \"v\". \"version\" param is invalid and not supported. For more information go to https://dev.vk.com/")
	}
	return nil
}

// admitted counts a call against the rate of the last second.
func (k *token) admitted(now time.Time) bool {
	limit := k.PerSecond
	if limit == 0 {
		limit = 3
		if k.Kind == CommunityToken {
			limit = 20
		}
	}
	if limit < 0 {
		return true
	}
	k.calls = slices.DeleteFunc(k.calls, func(at time.Time) bool { return now.Sub(at) >= time.Second })
	if len(k.calls) >= limit {
		return false
	}
	k.calls = append(k.calls, now)
	return true
}

// withinQuota counts a wall.get against the quota of the last 24 hours.
func (k *token) withinQuota(now time.Time) bool {
	limit := orElse(k.DailyWallGet, 5_000)
	if limit < 0 {
		return true
	}
	first := 0
	for first < len(k.wallGets) && now.Sub(k.wallGets[first]) >= 24*time.Hour {
		first++
	}
	k.wallGets = k.wallGets[first:]
	if len(k.wallGets) >= limit {
		return false
	}
	k.wallGets = append(k.wallGets, now)
	return true
}

// check refuses callers without the right and parameters that do not exist.
// VK itself passes over unknown parameters; here a misspelt one must fail.
func (m vkMethod) check(q *vkRequest) *vkError {
	kind := q.token.Kind
	switch {
	case slices.Contains(m.kinds, kind):
	case kind == CommunityToken:
		return vkFail(27, "Group authorization failed: method is unavailable with group auth.")
	case kind == ServiceToken:
		return vkFail(28, "Application authorization failed: method is unavailable with service token.")
	case kind == VKIDToken:
		return vkFail(1051, "Method is unavailable for this profile type")
	default:
		return &vkError{code: 15, subcode: 1133, message: "Access denied: no access to call this method"}
	}
	if m.right != "" && !q.token.has(m.right) {
		return &vkError{code: 15, subcode: 1133, message: "Access denied: no access to call this method. It cannot be called with current scopes."}
	}
	for _, name := range q.form.names {
		if !slices.Contains(vkCommon, name) && !slices.Contains(m.parameters, name) {
			return vkParameter("sandbox: unknown parameter %q in %s", name, q.method)
		}
	}
	for name := range q.form.files {
		return vkParameter("sandbox: unknown file %q in %s", name, q.method)
	}
	for _, name := range m.required {
		if !q.form.has(name) {
			return vkParameter("%s is undefined", name)
		}
	}
	return nil
}

// integer reads a whole number; absent gives otherwise.
func (q *vkRequest) integer(name string, otherwise int64) (int64, *vkError) {
	text := strings.TrimSpace(q.form.text(name))
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, vkParameter("%s not integer", name)
	}
	return n, nil
}

// flag reads a checkbox: 0 or 1.
func (q *vkRequest) flag(name string) (bool, *vkError) {
	switch q.form.text(name) {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, vkParameter("%s should be 0 or 1", name)
}

func (q *vkRequest) getServerTime() (any, *vkError) { return q.vk.server.now().Unix(), nil }

func (q *vkRequest) resolveScreenName() (any, *vkError) {
	name := strings.ToLower(q.form.text("screen_name"))
	q.vk.mu.Lock()
	defer q.vk.mu.Unlock()
	w := q.vk.named(name)
	if w == nil {
		return []any{}, nil // not found is an empty list, not an error
	}
	kind, id := "user", w.OwnerID
	if id < 0 {
		kind, id = "group", -id
	}
	return map[string]any{"object_id": id, "type": kind}, nil
}

// named finds a wall by screen name, club123, public123 or id123. v.mu is
// held.
func (v *vk) named(name string) *wall {
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

func (q *vkRequest) groupsGetByID() (any, *vkError) {
	asked := q.form.text("group_ids")
	if asked == "" {
		asked = q.form.text("group_id")
	}
	q.vk.mu.Lock()
	defer q.vk.mu.Unlock()
	groups := []any{}
	if asked == "" && q.token.Kind == CommunityToken {
		asked = strconv.FormatInt(q.token.Owner, 10)
	}
	if asked == "" {
		return nil, vkParameter("group_ids is undefined")
	}
	for name := range strings.SplitSeq(asked, ",") {
		name = strings.TrimSpace(name)
		var w *wall
		if id, err := strconv.ParseInt(name, 10, 64); err == nil {
			if id <= 0 {
				return nil, vkFail(125, "Invalid group id")
			}
			w = q.vk.walls[-id]
		} else {
			w = q.vk.named(name)
		}
		if w == nil || w.OwnerID > 0 {
			continue
		}
		group := map[string]any{"id": -w.OwnerID, "name": w.Name, "screen_name": w.ScreenName, "type": "group", "is_closed": 0,
			"photo_50": q.vk.server.avatar(w.OwnerID, 50), "photo_100": q.vk.server.avatar(w.OwnerID, 100), "photo_200": q.vk.server.avatar(w.OwnerID, 200)}
		switch w.State {
		case ClosedWall:
			group["is_closed"] = 1
		case BannedWall:
			group["deactivated"] = "banned"
		case DeletedWall:
			group["deactivated"] = "deleted"
		}
		if strings.Contains(q.form.text("fields"), "description") {
			group["description"] = w.About
		}
		groups = append(groups, group)
	}
	// The shape changed with version 5.139: an object instead of a list.
	if _, minor, _ := strings.Cut(q.form.text("v"), "."); len(minor) > 0 {
		if m, err := strconv.Atoi(minor); err == nil && m >= 139 {
			return map[string]any{"groups": groups, "profiles": []any{}}, nil
		}
	}
	return groups, nil
}

func (q *vkRequest) groupsGetTokenPermissions() (any, *vkError) {
	masks := []struct {
		name string
		mask int
	}{{"photos", 4}, {"wall", 8192}, {"messages", 4096}, {"manage", 262144}}
	total, settings := 0, []any{}
	for _, m := range masks {
		if q.token.has(m.name) {
			total |= m.mask
			settings = append(settings, map[string]any{"setting": m.mask, "name": m.name})
		}
	}
	return map[string]any{"mask": total, "settings": settings, "permissions": settings}, nil
}
