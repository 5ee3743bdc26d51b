package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// vk is the VK API side.
type vk struct {
	server *Server

	mu         sync.Mutex
	tokens     map[string]*token // by value
	walls      map[int64]*wall
	photos     map[string]*WallPhoto // "<owner>_<id>"
	tickets    map[string]*ticket    // upload addresses
	uploaded   map[string]*uploadedPhoto
	nextPhoto  int64
	nextTick   int64
	nextSample int
}

// token is a VK token with what it has used.
type token struct {
	VKToken
	calls    []time.Time // of the last second
	wallGets []time.Time // of the last 24 hours
}

// wall is a wall with its posts.
type wall struct {
	Wall
	posts  []*Post // in order of id
	nextID int64
	guids  map[string]guidUse // by token name and guid
}

// guidUse is a post made with a guid.
type guidUse struct {
	Post int64     `json:"post"`
	At   time.Time `json:"at"`
}

// guidLife is how long a guid keeps wall.post from posting twice.
const guidLife = time.Hour

// Bounds of memory: the posts of one wall, and the photos that can be
// attached.
const (
	postsKept  = 10_000
	photosKept = 100_000
)

func newVK(s *Server) *vk {
	return &vk{server: s, tokens: map[string]*token{}, walls: map[int64]*wall{}, photos: map[string]*WallPhoto{},
		tickets: map[string]*ticket{}, uploaded: map[string]*uploadedPhoto{}, nextPhoto: 457_239_000}
}

// AddVKToken makes a token known, or changes what is known of it.
func (s *Server) AddVKToken(k VKToken) error {
	switch {
	case k.Value == "":
		return fmt.Errorf("sandbox: a VK token needs a value")
	case !slices.Contains([]TokenKind{ServiceToken, CommunityToken, UserToken, VKIDToken}, k.Kind):
		return fmt.Errorf("sandbox: VK token kind %q: use service, community, user or vkid", k.Kind)
	case k.Kind == CommunityToken && k.Owner <= 0:
		return fmt.Errorf("sandbox: a community token needs Owner, the positive id of its community")
	}
	k.Name = orElse(k.Name, string(k.Kind))
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	if known := v.tokens[k.Value]; known != nil {
		known.VKToken = k
		return nil
	}
	v.tokens[k.Value] = &token{VKToken: k}
	return nil
}

// RemoveVKToken makes a token unknown again: calls with it answer error 5.
func (s *Server) RemoveVKToken(value string) {
	s.vk.mu.Lock()
	defer s.vk.mu.Unlock()
	delete(s.vk.tokens, value)
}

// AddWall makes a wall known, or changes what is known of it; its posts stay.
func (s *Server) AddWall(w Wall) error {
	if w.OwnerID == 0 {
		return fmt.Errorf("sandbox: a wall needs an owner id, negative for a community")
	}
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	defer s.events.post(topicVK)
	if known := v.walls[w.OwnerID]; known != nil {
		known.Wall = w
		return nil
	}
	v.walls[w.OwnerID] = &wall{Wall: w, nextID: 1, guids: map[string]guidUse{}}
	return nil
}

// ChangeWall changes a wall in place. It fails if there is no such wall.
func (s *Server) ChangeWall(owner int64, change func(*Wall)) error {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil {
		return fmt.Errorf("sandbox: no wall %d", owner)
	}
	change(&w.Wall)
	s.events.post(topicVK)
	return nil
}

// Walls lists the walls by owner id.
func (s *Server) Walls() []Wall {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	list := make([]Wall, 0, len(v.walls))
	for _, w := range v.walls {
		list = append(list, w.Wall)
	}
	slices.SortFunc(list, func(a, b Wall) int { return cmp.Compare(b.OwnerID, a.OwnerID) })
	return list
}

// AddPost puts a post on a wall, as if somebody had written it in VK, and
// returns it with its id and date.
func (s *Server) AddPost(owner int64, p Post) (Post, error) {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil {
		return Post{}, fmt.Errorf("sandbox: no wall %d", owner)
	}
	if p.ID != 0 && w.post(p.ID) != nil {
		return Post{}, fmt.Errorf("sandbox: wall %d has a post %d already", owner, p.ID)
	}
	defer s.events.post(topicVK)
	return *v.put(w, p), nil
}

// put stores a post. v.mu is held.
func (v *vk) put(w *wall, p Post) *Post {
	p.OwnerID = w.OwnerID
	if p.ID == 0 {
		p.ID = w.nextID
	}
	w.nextID = max(w.nextID, p.ID+1)
	if p.Date.IsZero() {
		p.Date = v.server.now()
	}
	p.FromID = orElse(p.FromID, w.OwnerID)
	v.knowPhotos(&p)
	stored := &p
	i, _ := w.position(p.ID)
	w.posts = slices.Insert(w.posts, i, stored)
	if len(w.posts) > postsKept {
		w.posts = slices.Clone(w.posts[len(w.posts)-postsKept:])
	}
	return stored
}

// knowPhotos gives the photos of a post ids and makes them known, so that
// they can be attached elsewhere. v.mu is held.
func (v *vk) knowPhotos(p *Post) {
	for name := range v.photos { // bounded memory: some are forgotten
		if len(v.photos) < photosKept {
			break
		}
		delete(v.photos, name)
	}
	p.Photos = slices.Clone(p.Photos)
	for i := range p.Photos {
		photo := &p.Photos[i]
		photo.OwnerID = orElse(photo.OwnerID, p.OwnerID)
		if photo.ID == 0 {
			v.nextPhoto++
			photo.ID = v.nextPhoto
		}
		photo.AccessKey = orElse(photo.AccessKey, fmt.Sprintf("%018x", uint64(photo.ID)*0x9E3779B97F4A7C15)[:18])
		if photo.Date.IsZero() {
			photo.Date = p.Date
		}
		if photo.Drawing != "" && photo.Width == 0 {
			photo.Width, photo.Height = 1280, 960
		}
		v.photos[photoName(*photo)] = photo
	}
	p.Reposts = slices.Clone(p.Reposts)
	for i := range p.Reposts {
		v.knowPhotos(&p.Reposts[i])
	}
}

func photoName(p WallPhoto) string { return fmt.Sprintf("%d_%d", p.OwnerID, p.ID) }

// EditPost changes a post in place and marks it edited now.
func (s *Server) EditPost(owner, id int64, change func(*Post)) error {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil || w.post(id) == nil {
		return fmt.Errorf("sandbox: no post %d on wall %d", id, owner)
	}
	p := w.post(id)
	p.Photos, p.Reposts, p.Attachments, p.Extra = slices.Clone(p.Photos), slices.Clone(p.Reposts), slices.Clone(p.Attachments), maps.Clone(p.Extra)
	change(p)
	p.OwnerID, p.ID, p.Edited = owner, id, s.now()
	v.knowPhotos(p)
	s.events.post(topicVK)
	return nil
}

// DeletePost removes a post. Its id is not given again.
func (s *Server) DeletePost(owner, id int64) error {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil || w.post(id) == nil {
		return fmt.Errorf("sandbox: no post %d on wall %d", id, owner)
	}
	w.posts = slices.DeleteFunc(w.posts, func(p *Post) bool { return p.ID == id })
	s.events.post(topicVK)
	return nil
}

// Posts returns what is on a wall, oldest first, postponed and suggested
// posts among them.
func (s *Server) Posts(owner int64) []Post {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil {
		return nil
	}
	list := make([]Post, len(w.posts))
	for i, p := range w.posts {
		list[i] = *p
	}
	return list
}

func (w *wall) post(id int64) *Post {
	i, found := w.position(id)
	if !found {
		return nil
	}
	return w.posts[i]
}

// position is where a post of this id is, or belongs.
func (w *wall) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(w.posts, id, func(p *Post, id int64) int { return cmp.Compare(p.ID, id) })
}

// serve answers /method/<name>.
func (v *vk) serve(w http.ResponseWriter, r *http.Request) {
	method := r.PathValue("method")
	spec, known := vkMethods[method]
	var caller *token
	sentToken := false
	v.server.exchange(w, r, VK, method, platformRules{
		identify: func(f *form) (string, string) {
			value := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			if value == "" {
				value = f.text("access_token")
			}
			sentToken = value != ""
			delete(f.fields, "access_token") // never recorded
			f.names = slices.DeleteFunc(f.names, func(name string) bool { return name == "access_token" })
			v.mu.Lock()
			defer v.mu.Unlock()
			caller = v.tokens[value]
			chat := f.text("owner_id")
			if w := v.named(f.text("domain")); chat == "" && w != nil {
				chat = strconv.FormatInt(w.OwnerID, 10)
			}
			if group := f.text("group_id"); chat == "" && group != "" && group != "0" {
				chat = "-" + group
			}
			if caller == nil {
				return "", chat
			}
			return caller.Name, chat
		},
		unreadable: func(err error) answer {
			if errors.Is(err, errTooLarge) {
				return answer{status: 413, header: map[string]string{"Content-Type": "text/html"}, body: []byte("<html><h1>413 Request Entity Too Large</h1></html>"), refused: true}
			}
			return vkFail(8, "Invalid request: %s", err).answer(&form{})
		},
		handle: func(_ context.Context, f *form, call *Call) answer {
			q := &vkRequest{vk: v, token: caller, form: f, call: call, method: method, sentToken: sentToken}
			if failed := v.admit(q, known); failed != nil {
				return failed.answer(f)
			}
			if failed := spec.check(q); failed != nil {
				return failed.answer(f)
			}
			result, failed := spec.run(q)
			if failed != nil {
				return failed.answer(f)
			}
			if len(q.stored) > 0 {
				v.server.events.post(topicVK)
			}
			return answer{status: 200, stored: q.stored, body: encode(map[string]any{"response": result})}
		},
		fault: vkFault,
	})
}

// vkError is an error answer of the VK API.
type vkError struct {
	code    int
	subcode int
	message string
	extra   map[string]any
	status  int // HTTP; 200 if 0
}

func vkFail(code int, format string, args ...any) *vkError {
	return &vkError{code: code, message: fmt.Sprintf(format, args...)}
}

func vkParameter(format string, args ...any) *vkError {
	return vkFail(100, "One of the parameters specified was missing or invalid: "+format, args...)
}

// answer puts the error into VK's envelope: HTTP 200, with the request's
// parameters repeated, but for the token.
func (e *vkError) answer(f *form) answer {
	params := []map[string]string{}
	for _, name := range slices.Sorted(slices.Values(f.names)) {
		if value, sent := f.fields[name]; sent {
			params = append(params, map[string]string{"key": name, "value": value.text})
		}
	}
	body := map[string]any{"error_code": e.code, "error_msg": e.message, "request_params": params}
	if e.subcode != 0 {
		body["error_subcode"] = e.subcode
	}
	for name, value := range e.extra {
		body[name] = value
	}
	return answer{status: orElse(e.status, 200), body: encode(map[string]any{"error": body}), refused: true}
}

// vkMessages are VK's own words for the error codes that a fault can name
// without a text (VK API documentation, "Errors").
var vkMessages = map[int]string{
	1: "Unknown error occurred", 2: "Application is disabled. Enable your application or use test mode",
	3: "Unknown method passed", 4: "Incorrect signature", 5: "User authorization failed: invalid access_token (4).",
	6: "Too many requests per second", 7: "Permission to perform this action is denied", 8: "Invalid request",
	9: "Flood control", 10: "Internal server error", 11: "In test mode application should be disabled or user should be authorized",
	14: "Captcha needed", 15: "Access denied", 16: "HTTP authorization failed", 17: "Validation required",
	18: "User was deleted or banned", 19: "Content blocked", 20: "Permission to perform this action is denied for non-standalone applications",
	21: "Permission to perform this action is allowed only for Standalone and OpenAPI applications", 22: "Upload error",
	23: "This method was disabled", 24: "Confirmation required", 25: "Token confirmation required",
	27: "Group authorization failed: method is unavailable with group auth.", 28: "Application authorization failed: method is unavailable with service token.",
	29: "Rate limit reached", 30: "This profile is private", 36: "Method execution was interrupted due to timeout",
	37: "User was banned", 100: "One of the parameters specified was missing or invalid", 103: "Out of limits", 104: "Not found",
	105: "Couldn't save file", 113: "Invalid user id", 114: "Invalid album id", 118: "Invalid server", 121: "Invalid hash",
	125: "Invalid group id", 129: "Invalid photo", 203: "Access to group denied", 210: "Access to wall's post denied",
	214: "Access to adding post denied", 219: "Advertisement post was recently added", 220: "Too many recipients",
	222: "Hyperlinks are forbidden", 224: "Too many ads posts", 225: "Donut is disabled", 300: "This album is full",
	1051: "Method is unavailable for this profile type", 1117: "Access token has expired", 3102: "Specified link is incorrect (can't find source)",
	3300: "Recaptcha needed", 11500: "Action confirmation required",
}

// vkFault gives a fault the form of a VK error, or of the proxy before it.
func vkFault(fault *Fault, f *form) answer {
	if fault.Code == 0 && fault.Description == "" && len(fault.Extra) == 0 {
		status := orElse(fault.Status, 502)
		text := strconv.Itoa(status) + " " + http.StatusText(status)
		return answer{status: status, header: map[string]string{"Content-Type": "text/html"},
			body: []byte("<html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>")}
	}
	code := orElse(fault.Code, 1)
	e := &vkError{code: code, subcode: fault.Subcode, message: orElse(fault.Description, orElse(vkMessages[code], "Error")),
		extra: fault.Extra, status: fault.Status}
	if code == 14 && fault.Extra == nil { // as it is since 2025: the picture is a stub, the answer is the redirect
		e.extra = map[string]any{"captcha_sid": "123456789012", "captcha_img": "https://api.vk.com/captcha.php?sid=123456789012&s=1",
			"redirect_uri": "https://id.vk.com/not_robot_captcha?domain=vk.com&session_token=sandbox"}
	}
	return e.answer(f)
}
