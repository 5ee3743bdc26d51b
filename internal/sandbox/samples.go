package sandbox

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"vestnik/internal/sandbox/core"
)

// Sample tokens and ids, for `vestnik dev` and the page. They open nothing but a sandbox.
const (
	// TelegramToken is the relay's bot, an administrator of the chat ChatID.
	TelegramToken = "7000000001:AAsandbox-relay-bot-0000000000000000"
	// ChatID is the supergroup that the relay writes into.
	ChatID = int64(-1001900000001)

	// GuideBotToken is the city guide's bot, GuideChannel the channel whose subscribers it serves and which it
	// administers.
	GuideBotToken    = "7000000002:AAsandbox-guide-bot-0000000000000000"
	GuideBotUsername = "sandbox_guide_bot"
	GuideChannel     = "@sandbox_city"
	GuideChannelID   = int64(-1001900000002)

	// VKReadToken is a service key: it reads walls. VKWriteToken is the key of the destination's community: it posts
	// text there. VKMediaToken is the token of a person who administers the community: it also uploads photos.
	VKReadToken  = "sandbox-service-key-0000000000000000000000000000000000"
	VKWriteToken = "sandbox-community-key-00000000000000000000000000000000"
	VKMediaToken = "sandbox-user-key-0000000000000000000000000000000000000"

	// DestinationOwnerID is the wall that the relay posts on.
	DestinationOwnerID = int64(-900000005)
)

// WallNames are the screen names of the sample walls that can be read.
func WallNames() []string {
	return []string{"sandbox_lost_pets", "sandbox_paw_help", "sandbox_found_cats", "sandbox_zarechny"}
}

// ClosedWallName is the screen name of a sample wall that answers error 15.
const ClosedWallName = "sandbox_closed_shelter"

// Owner ids of the sample walls.
const (
	lostPets   = int64(-900000001)
	pawHelp    = int64(-900000002)
	foundCats  = int64(-900000003)
	zarechny   = int64(-900000004)
	closedHome = int64(-900000006)
)

// SamplePerson is who talks to the guide bot on the page.
var SamplePerson = Person{ID: 555000111, Name: "Аня", Username: "anya_sandbox"}

// addSamples sets up the sample bots, chats, tokens and walls. What the state file brought back stays as it is.
func (s *Server) addSamples(restored bool) error {
	failures := []error{
		s.AddBot(Bot{Token: TelegramToken, Username: "sandbox_vestnik_bot", Name: "Вестник"}),
		s.AddBot(Bot{Token: GuideBotToken, Username: GuideBotUsername, Name: "Городской гид"}),
		s.AddVKToken(VKToken{Name: "reading key", Value: VKReadToken, Kind: ServiceToken}),
		s.AddVKToken(VKToken{Name: "community key", Value: VKWriteToken, Kind: CommunityToken, Owner: -DestinationOwnerID}),
		s.AddVKToken(VKToken{Name: "media key", Value: VKMediaToken, Kind: UserToken, Owner: 100500}),
	}
	if restored {
		return errors.Join(append(failures, s.freshen())...)
	}
	failures = append(failures,
		s.AddChat(Chat{ID: ChatID, Type: Supergroup, Title: "Ищем питомцев · Ольховск", Username: "sandbox_lost_chat",
			About:   "Сюда приходят объявления о пропавших животных",
			Members: map[int64]Member{7000000001: {Status: Administrator}}}),
		s.AddChat(Chat{ID: GuideChannelID, Type: Channel, Title: "Ольховск гуляет", Username: GuideChannel[1:],
			Members: map[int64]Member{7000000002: {Status: Administrator}, SamplePerson.ID: {Status: Ordinary, Name: SamplePerson.Name}}}),
		s.AddChat(Chat{ID: SamplePerson.ID, Type: PrivateChat, Title: SamplePerson.Name, Username: SamplePerson.Username}))
	for _, w := range sampleWalls {
		failures = append(failures, s.AddWall(w))
	}
	ids := map[int64]int64{}
	for _, sample := range samples().Posts {
		// Comments share the numbering: gaps are normal.
		ids[sample.Wall] = cmp.Or(ids[sample.Wall], 100+-sample.Wall%1000*1000) + 1 + int64(len(sample.Text))%5
		_, err := s.AddPost(sample.Wall, s.drawn(sample.post(ids[sample.Wall], s.Now())))
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// freshen publishes two more samples if the walls of the last run have been quiet for a day, so that there is something
// to watch again.
func (s *Server) freshen() error {
	count, newest := 0, time.Time{}
	for _, w := range sampleWalls {
		for _, p := range s.Posts(w.OwnerID) {
			if count++; p.Date.After(newest) && p.Date.Before(s.Now()) {
				newest = p.Date
			}
		}
	}
	s.nextSample = count // not always the same ones
	if s.Now().Sub(newest) < 24*time.Hour {
		return nil
	}
	for range 2 {
		if err := s.publishSample(); err != nil {
			return err
		}
	}
	return nil
}

var sampleWalls = []Wall{
	{OwnerID: lostPets, ScreenName: "sandbox_lost_pets", Name: "Потеряшки Ольховска", About: "Пропавшие и найденные животные"},
	{OwnerID: pawHelp, ScreenName: "sandbox_paw_help", Name: "Лапа помощи | Ольховск", About: "Волонтёры: пристройство, лечение, передержки"},
	{OwnerID: foundCats, ScreenName: "sandbox_found_cats", Name: "Кошки-найдёныши", About: "Кто потерял кота — вам сюда"},
	{OwnerID: zarechny, ScreenName: "sandbox_zarechny", Name: "Заречный: жизнь района", About: "Новости, объявления, соседи"},
	{OwnerID: closedHome, ScreenName: ClosedWallName, Name: "Приют «Тёплый дом»", State: ClosedWall},
	{OwnerID: DestinationOwnerID, ScreenName: "sandbox_vestnik", Name: "Вестник потеряшек", About: "Сюда Вестник переносит объявления", Writers: []string{"media key"}},
}

// publishSample puts the next of some lifelike posts on its sample wall, as if somebody had just written it.
func (s *Server) publishSample() error {
	s.sampleMutex.Lock()
	sample := samples().Reserve[s.nextSample%len(samples().Reserve)]
	s.nextSample++
	s.sampleMutex.Unlock()
	_, err := s.AddPost(sample.Wall, s.drawn(sample.post(0, s.Now())))
	return err
}

// samplePicture is a drawn picture in an attachment of a sample.
var samplePicture = regexp.MustCompile(`\{picture\}/([a-z0-9-]+)`)

// drawn gives the pictures and files of a post's attachments their addresses.
func (s *Server) drawn(p Post) Post {
	for i, attachment := range p.Attachments {
		p.Attachments[i] = samplePicture.ReplaceAllFunc(attachment, func(name []byte) []byte {
			return []byte(s.PictureURL(string(samplePicture.FindSubmatch(name)[1])))
		})
		p.Attachments[i] = bytes.ReplaceAll(p.Attachments[i], []byte("{file}"), []byte(s.BaseURL+"/sandbox/files"))
	}
	return p
}

//go:embed samples.yaml
var samplesFile []byte

// sampleFile is samples.yaml, the oldest posts first.
type sampleFile struct {
	Posts, Reserve []samplePost
}

var samples = sync.OnceValue(func() (file sampleFile) {
	if err := yaml.UnmarshalWithOptions(samplesFile, &file, yaml.Strict()); err != nil { // the file is compiled in
		panic(fmt.Sprintf("samples.yaml: %v", err))
	}
	slices.SortStableFunc(file.Posts, func(a, b samplePost) int { return cmp.Compare(b.Age, a.Age) })
	return file
})

// samplePost is a post of the sample walls, dated relative to the start.
type samplePost struct {
	Shows       []string
	Wall        int64
	Owner       int64 // of a repost
	Age         time.Duration
	EditedAfter time.Duration `yaml:"edited_after"`
	From        int64         // author, if not the community
	Signer      int64
	Pinned      bool
	Ads         bool
	Donut       bool
	Type        string // post_type
	OddSizes    bool   `yaml:"odd_sizes"`
	Photos      []string
	Text        string
	Attachments []map[string]any // further ones, as VK gives them
	Extra       map[string]any
	Reposts     []samplePost // copy_history
}

func (p samplePost) post(id int64, now time.Time) Post {
	date := now.Add(-p.Age).Truncate(time.Second)
	post := Post{ID: id, OwnerID: p.Owner, Date: date, FromID: p.From, SignerID: p.Signer, Text: p.Text, Pinned: p.Pinned, Ads: p.Ads,
		DonutOnly: p.Donut, Type: p.Type, Extra: p.Extra,
		Likes: len(p.Text) % 47, Comments: len(p.Text) % 9}
	if p.EditedAfter > 0 {
		post.Edited = date.Add(p.EditedAfter)
	}
	for i, name := range p.Photos {
		photo := WallPhoto{Drawing: name, OddSizes: p.OddSizes, Width: 1280, Height: 960}
		if i%3 == 1 {
			photo.Width, photo.Height = 960, 1280
		}
		if i%4 == 3 {
			photo.Width, photo.Height = 2560, 1920
		}
		post.Photos = append(post.Photos, photo)
	}
	for _, attachment := range p.Attachments {
		post.Attachments = append(post.Attachments, core.Encode(attachment))
	}
	for i, original := range p.Reposts {
		post.Reposts = append(post.Reposts, original.post(id*10+int64(i), now))
	}
	return post
}
