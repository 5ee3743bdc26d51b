package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// guideView is what the guide's page shows: one person's talk with a bot.
type guideView struct {
	Now        time.Time
	Bots       []Bot
	Bot        Bot
	People     []Chat
	Person     Person
	Bubbles    []bubble
	Toast      *Query // the newest answer to a press, for a moment
	Webhook    string
	Pending    int
	Mode       DeliveryMode
	Deliveries []Delivery
	Updates    []Update
	Channel    Chat
	Status     MemberStatus
	Statuses   []MemberStatus
	Spoils     []string
	avatar     func(int64) string
}

// Avatar is the address of somebody's picture.
func (v guideView) Avatar(id int64) string { return v.avatar(id) }

// toastLife is how long the answer to a press stays on the page.
const toastLife = 4 * time.Second

func (s *Server) guideView(r *http.Request) guideView {
	now := s.now()
	v := guideView{Now: now, avatar: s.pageAvatar,
		Statuses: []MemberStatus{Ordinary, Left, Kicked, Restricted, restrictedInside, Administrator, Creator, NotFound},
		Spoils:   []string{"mend", "404", "html", "text", "truncate", "big", "slow"}}
	token := s.botToken(r.FormValue("bot"))
	t := s.telegram
	t.mu.Lock()
	if b := t.bots[token]; b != nil {
		v.Bot = b.Bot
		v.Webhook, v.Pending, v.Mode = b.updates.hook.URL, len(b.updates.pending), b.updates.mode
		v.Deliveries, _ = b.updates.deliveries()
		for _, u := range b.updates.recent {
			v.Updates = append(v.Updates, *u)
		}
	}
	for _, c := range t.chats {
		switch c.Type {
		case PrivateChat:
			v.People = append(v.People, c.Chat.copied())
		case Channel:
			v.Channel = c.Chat.copied()
		}
	}
	t.mu.Unlock()
	slices.SortFunc(v.People, func(a, b Chat) int { return cmp.Compare(a.ID, b.ID) })
	chat := chosen(v.People, func(c Chat) string { return strconv.FormatInt(c.ID, 10) }, r.FormValue("person"))
	v.Person = Person{ID: chat.ID, Name: chat.Title, Username: chat.Username}
	v.Bubbles = s.bubbles(chat.ID, now)
	if queries := s.Queries(chat.ID); len(queries) > 0 {
		if last := queries[len(queries)-1]; last.Toast != "" && now.Sub(last.AnsweredAt) < toastLife {
			v.Toast = &last
		}
	}
	member := v.Channel.Members[chat.ID]
	v.Status = orElse(member.Status, Left)
	if member.Status == Restricted && member.IsMember {
		v.Status = restrictedInside
	}
	slices.Reverse(v.Deliveries)
	v.Deliveries = v.Deliveries[:min(len(v.Deliveries), 12)]
	slices.Reverse(v.Updates)
	v.Updates = v.Updates[:min(len(v.Updates), 12)]
	return v
}

// pagePerson is who writes on the guide's page.
func (s *Server) pagePerson(r *http.Request) (Person, error) {
	id, err := strconv.ParseInt(r.FormValue("person"), 10, 64)
	if err != nil {
		return Person{}, fmt.Errorf("не выбран собеседник")
	}
	for _, c := range s.Chats() {
		if c.ID == id {
			return Person{ID: id, Name: c.Title, Username: c.Username}, nil
		}
	}
	return Person{ID: id, Name: fmt.Sprintf("Гость %d", id)}, nil
}

func (s *Server) pageSay(r *http.Request) error {
	from, err := s.pagePerson(r)
	if err != nil {
		return err
	}
	_, err = s.Say(s.botToken(r.FormValue("bot")), from, r.FormValue("text"))
	return err
}

// restrictedInside is the page's name for a restricted member who is in the
// chat; without is_member, they are not.
const restrictedInside = Restricted + ", is_member"

// sampleLocation is where the person of the page stands: in the centre of the
// sample city.
var sampleLocation = Location{Latitude: 57.301, Longitude: 44.102}

func (s *Server) pageLocate(r *http.Request) error {
	from, err := s.pagePerson(r)
	if err != nil {
		return err
	}
	_, err = s.Locate(s.botToken(r.FormValue("bot")), from, sampleLocation)
	return err
}

func (s *Server) pagePress(r *http.Request) error {
	from, err := s.pagePerson(r)
	if err != nil {
		return err
	}
	message, err := strconv.ParseInt(r.FormValue("message"), 10, 64)
	if err != nil {
		return err
	}
	_, err = s.Press(s.botToken(r.FormValue("bot")), from, from.ID, message, r.FormValue("data"))
	return err
}

func (s *Server) pageMember(r *http.Request) error {
	from, err := s.pagePerson(r)
	if err != nil {
		return err
	}
	channel, err := strconv.ParseInt(r.FormValue("channel"), 10, 64)
	if err != nil {
		return fmt.Errorf("нет канала")
	}
	status := MemberStatus(r.FormValue("status"))
	member := Member{Status: status, Name: from.Name}
	if status == restrictedInside {
		member.Status, member.IsMember = Restricted, true
	}
	return s.SetMember(channel, from.ID, member)
}

// pageDelivery changes the delivery mode, releases held updates, or delivers
// one again.
func (s *Server) pageDelivery(r *http.Request) error {
	token := s.botToken(r.FormValue("bot"))
	switch r.FormValue("do") {
	case "mode":
		return s.SetDelivery(token, DeliveryMode{Hold: r.FormValue("hold") != "", Copies: max(atoi(r.FormValue("copies")), 0), Together: r.FormValue("together") != ""})
	case "release":
		_, err := s.Release(r.Context(), token, r.FormValue("reverse") != "", r.FormValue("together") != "")
		return err
	case "again":
		_, err := s.Redeliver(r.Context(), token, int64(atoi(r.FormValue("update"))), max(atoi(r.FormValue("copies")), 1), true)
		return err
	}
	return fmt.Errorf("что сделать с доставкой?")
}

// pagePicture spoils or mends a picture.
func (s *Server) pagePicture(r *http.Request) error {
	faults := map[string]PictureFault{
		"mend": {}, "404": {Status: 404}, "html": {As: "html"}, "text": {As: "text"}, "truncate": {Truncate: true},
		"big": {Bytes: 6 << 20}, "slow": {DelayMS: 8000},
	}
	fault, known := faults[r.FormValue("fault")]
	if !known || r.FormValue("name") == "" {
		return fmt.Errorf("какую картинку и как испортить?")
	}
	s.SetPictureFault(r.FormValue("name"), fault)
	return nil
}
