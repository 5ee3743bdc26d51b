package page

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"vestnik/internal/sandbox/telegram"
)

// guideView is what the guide's page shows: one person's talk with a bot.
type guideView struct {
	Bot      telegram.Bot
	Now      time.Time
	People   []telegram.Chat
	Person   telegram.Person
	Bubbles  []bubble
	Toast    *telegram.Query // the newest answer to a press, for a moment
	Channel  telegram.Chat
	Status   telegram.MemberStatus
	Statuses []telegram.MemberStatus
}

// toastLife is how long the answer to a press stays on the page.
const toastLife = 4 * time.Second

func (s *Site) guideView(r *http.Request) guideView {
	now := s.core.Now()
	v := guideView{Bot: s.telegram.Bot(r.FormValue("bot")), Now: now,
		Statuses: []telegram.MemberStatus{telegram.Ordinary, telegram.Left, telegram.Kicked, telegram.Restricted, restrictedInside,
			telegram.Administrator, telegram.Creator, telegram.NotFound}}
	for _, c := range s.telegram.Chats() {
		switch c.Type {
		case telegram.PrivateChat:
			v.People = append(v.People, c)
		case telegram.Channel:
			v.Channel = c
		}
	}
	chat := chosen(v.People, func(c telegram.Chat) int64 { return c.ID }, r.FormValue("person"))
	v.Person = telegram.Person{ID: chat.ID, Name: chat.Title, Username: chat.Username}
	v.Bubbles = s.bubbles(chat.ID, now)
	if queries := s.telegram.Queries(chat.ID); len(queries) > 0 {
		if last := queries[len(queries)-1]; last.Toast != "" && now.Sub(last.AnsweredAt) < toastLife {
			v.Toast = &last
		}
	}
	member := v.Channel.Members[chat.ID]
	v.Status = cmp.Or(member.Status, telegram.Left)
	if member.Status == telegram.Restricted && member.IsMember {
		v.Status = restrictedInside
	}
	return v
}

// asPerson makes an action of what the person of the guide's page does to the bot.
func (s *Site) asPerson(do func(r *http.Request, bot string, from telegram.Person) error) func(*http.Request) error {
	return func(r *http.Request) error {
		id, err := strconv.ParseInt(r.FormValue("person"), 10, 64)
		if err != nil {
			return fmt.Errorf("не выбран собеседник")
		}
		from := telegram.Person{ID: id, Name: fmt.Sprintf("Гость %d", id)}
		for _, c := range s.telegram.Chats() {
			if c.ID == id {
				from.Name, from.Username = c.Title, c.Username
			}
		}
		return do(r, s.telegram.Bot(r.FormValue("bot")).Token, from)
	}
}

func (s *Site) pageSay(r *http.Request, bot string, from telegram.Person) error {
	_, err := s.telegram.Say(bot, from, r.FormValue("text"))
	return err
}

// restrictedInside is the page's name for a restricted member who is in the chat; without is_member, they are not.
const restrictedInside = telegram.Restricted + ", is_member"

// sampleLocation is where the person of the page stands: in the centre of the sample city.
var sampleLocation = telegram.Location{Latitude: 57.301, Longitude: 44.102}

func (s *Site) pageLocate(_ *http.Request, bot string, from telegram.Person) error {
	_, err := s.telegram.Locate(bot, from, sampleLocation)
	return err
}

func (s *Site) pagePress(r *http.Request, bot string, from telegram.Person) error {
	_, err := s.telegram.Press(bot, from, from.ID, int64(atoi(r.FormValue("message"))), r.FormValue("data"))
	return err
}

func (s *Site) pageMember(r *http.Request, _ string, from telegram.Person) error {
	member := telegram.Member{Status: telegram.MemberStatus(r.FormValue("status")), Name: from.Name}
	if member.Status == restrictedInside {
		member.Status, member.IsMember = telegram.Restricted, true
	}
	return s.telegram.SetMember(int64(atoi(r.FormValue("channel"))), from.ID, member)
}
