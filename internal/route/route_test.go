package route_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/route"
)

// seen is a post as rules look at it.
type seen struct {
	Type           petpost.Type
	Animal         petpost.Animal
	Text, Original string
	HasPhone       bool
	OwnerID        int64
	Wall           string // the name under which it is watched
}

func match(routes *route.Routes, s seen) ([]route.Destination, []route.Decision) {
	stored := petpost.Post{
		Post:    post.Post{ID: post.ID{OwnerID: s.OwnerID}, Text: s.Text},
		Reading: petpost.Reading{Type: s.Type, Animal: s.Animal},
	}
	if s.Original != "" {
		stored.Reposts = []post.Repost{{Text: s.Original}}
	}
	if s.HasPhone {
		stored.Reading.Phones = []string{"+79000000000"}
	}
	return routes.Match(stored, s.Wall)
}

func names(destinations []route.Destination) []string {
	var names []string
	for _, destination := range destinations {
		names = append(names, destination.String())
	}
	return names
}

func TestPostsGoWhereARuleSendsThem(t *testing.T) {
	t.Parallel()
	routes := load(t, "two_cities.yaml")
	for _, c := range []struct {
		name    string
		post    seen
		matched []string
		reasons []string // of telegram …/12, telegram …/1, telegram @lapa_demo, vk
	}{
		{
			name:    "a lost dog",
			post:    seen{Type: petpost.Lost, Animal: petpost.Dog, Text: "Пропала собака", OwnerID: -1},
			matched: []string{"telegram:-1001234567890/12", "vk:-123456"},
			reasons: []string{
				"rule «пропавшие собаки»: type lost, animal dog",
				"rule «кошки Устиновского района»: animal dog is not one of cat",
				"rule 3: wall -1 is not one of -700300",
				"rule «пропавшие собаки»: type lost, animal dog",
			},
		},
		{
			name: "an excluded phrase with any ending",
			post: seen{Type: petpost.Lost, Text: "ЩЕНКИ, в добрые руки!", OwnerID: -1},
			reasons: []string{
				`rule «пропавшие собаки»: excluded by "щен* в добрые руки"`,
				"rule «кошки Устиновского района»: animal unknown is not one of cat",
				"rule 3: wall -1 is not one of -700300",
				`rule «пропавшие собаки»: excluded by "щен* в добрые руки"`,
			},
		},
		{
			name: "an excluded expression in the reposted text",
			post: seen{Type: petpost.Sighting, Animal: petpost.Dog, Text: "смотрите", Original: "Ищем пару для ВЯЗКИ", OwnerID: -1},
			reasons: []string{
				`rule «пропавшие собаки»: excluded by /вязк[аи]/`,
				"rule «кошки Устиновского района»: type sighting is not one of lost",
				"rule 3: wall -1 is not one of -700300",
				`rule «пропавшие собаки»: excluded by /вязк[аи]/`,
			},
		},
		{
			name:    "a lost cat with everything its rule asks",
			post:    seen{Type: petpost.Lost, Animal: petpost.Cat, Text: "Пропал кот в Устиновском районе", HasPhone: true, OwnerID: -700200},
			matched: []string{"telegram:-1001234567890/1"},
			reasons: []string{
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
				`rule «кошки Устиновского района»: type lost, animal cat, wall -700200, has a phone, includes "устиновск*"`,
				"rule 3: wall -700200 is not one of -700300",
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
			},
		},
		{
			name:    "a wall by its screen name and a street by expression",
			post:    seen{Type: petpost.Lost, Animal: petpost.Cat, Text: "УЛ. Лесная", HasPhone: true, OwnerID: -9, Wall: "Lapa_Demo"},
			matched: []string{"telegram:-1001234567890/1"},
			reasons: []string{
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
				`rule «кошки Устиновского района»: type lost, animal cat, wall lapa_demo, has a phone, includes /ул\.\s*лесн/`,
				"rule 3: wall -9 is not one of -700300",
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
			},
		},
		{
			name: "a cat without a phone",
			post: seen{Type: petpost.Lost, Animal: petpost.Cat, Text: "Речная", OwnerID: -700100},
			reasons: []string{
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
				"rule «кошки Устиновского района»: no phone",
				"rule 3: wall -700100 is not one of -700300",
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
			},
		},
		{
			name: "a cat in another street",
			post: seen{Type: petpost.Lost, Animal: petpost.Cat, Text: "Заречная", HasPhone: true, OwnerID: -700100},
			reasons: []string{
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
				"rule «кошки Устиновского района»: none of the included words is there",
				"rule 3: wall -700100 is not one of -700300",
				"rule «пропавшие собаки»: animal cat is not one of dog, unknown",
			},
		},
		{
			name:    "any type from one wall without a phone",
			post:    seen{Type: petpost.News, OwnerID: -700300},
			matched: []string{"telegram:@lapa_demo"},
			reasons: []string{
				"rule «пропавшие собаки»: type news is not one of lost, sighting",
				"rule «кошки Устиновского района»: type news is not one of lost",
				"rule 3: type news, wall -700300, no phone",
				"rule «пропавшие собаки»: type news is not one of lost, sighting",
			},
		},
		{
			name: "a phone where none is wanted",
			post: seen{Type: petpost.News, OwnerID: -700300, HasPhone: true},
			reasons: []string{
				"rule «пропавшие собаки»: type news is not one of lost, sighting",
				"rule «кошки Устиновского района»: type news is not one of lost",
				"rule 3: has a phone",
				"rule «пропавшие собаки»: type news is not one of lost, sighting",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			matched, decisions := match(routes, c.post)
			require.Equal(t, c.matched, names(matched))
			var reasons []string
			for i, decision := range decisions {
				require.Equal(t, routes.Targets()[i].Destination, decision.Destination)
				require.Equal(t, decision.Matched, contains(matched, decision.Destination))
				reasons = append(reasons, decision.Reason)
			}
			require.Equal(t, c.reasons, reasons)
		})
	}
}

func contains(list []route.Destination, wanted route.Destination) bool {
	for _, destination := range list {
		if destination == wanted {
			return true
		}
	}
	return false
}

func TestADestinationOfTwoRulesGetsAPostOnce(t *testing.T) {
	t.Parallel()
	routes, err := route.Load([]byte(`
destinations: [{id: telegram:-5}, {id: vk:-6}]
rules:
  - {types: [lost], to: [telegram:-5]}
  - {types: [any], to: [telegram:-5]}
`), route.StandardDefaults())
	require.NoError(t, err)
	matched, decisions := match(routes, seen{Type: petpost.Lost})
	require.Equal(t, []string{"telegram:-5"}, names(matched))
	require.Equal(t, []route.Decision{
		{Destination: destination(t, "telegram:-5"), Matched: true, Reason: "rule 1: type lost"},
		{Destination: route.VKWall(-6), Reason: "no rule sends here"},
	}, decisions)
	_, decisions = match(routes, seen{Type: petpost.Found})
	require.Equal(t, "rule 2: type found", decisions[0].Reason)
}

func TestWordsMatchWholeWordsWhateverTheirForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, text string
		want       bool
	}{
		{"пёс", "Пропал ПЕС!", true},
		{"пес", "пёс", true},
		{"пес", "пе\u0308с", true},
		{"йорк", "и\u0306орк", true},
		{"пёс", "Бегает по псковской", false},
		{"пёс", "песик", false},
		{"пес*", "пёсик", true},
		{"добрые руки", "в добрые,\nруки", true},
		{"добрые руки", "добрые и руки", false},
		{"школа 5", "у школы 5", false},
		{"школ* 5", "у школы 5", true},
		{"ул. Речная", "на УЛ.РЕЧНАЯ,4", true},
		{"кот", "кот", true},
		{"кот", "соба\u0301ка и ко\u0301т", true},
		{"кот", "", false},
	} {
		routes, err := route.Load([]byte("destinations: [{id: vk:-6}]\nrules: [{types: [any], include: ['"+c.word+"'], to: [vk:-6]}]"), route.StandardDefaults())
		require.NoError(t, err)
		matched, _ := match(routes, seen{Text: c.text})
		require.Equal(t, c.want, len(matched) == 1, "%q in %q", c.word, c.text)
	}
}

func TestWithoutAFileLostPetsGoWhereverIsEnabled(t *testing.T) {
	t.Parallel()
	defaults := route.StandardDefaults()
	chat := route.Target{Destination: destination(t, "telegram:-5/7"), Settings: defaults.Telegram}
	wall := route.Target{Destination: route.VKWall(-6), Settings: defaults.VK}
	lost, found := seen{Type: petpost.Lost}, seen{Type: petpost.Found}

	both := route.Implied(&chat, &wall)
	matched, decisions := match(both, lost)
	require.Equal(t, []string{"telegram:-5/7", "vk:-6"}, names(matched))
	require.Equal(t, "rule «lost»: type lost", decisions[0].Reason)
	matched, decisions = match(both, found)
	require.Empty(t, matched)
	require.Equal(t, "rule «lost»: type found is not one of lost", decisions[1].Reason)
	require.Equal(t, []route.Target{chat, wall}, both.Targets())

	matched, _ = match(route.Implied(nil, &wall), lost)
	require.Equal(t, []string{"vk:-6"}, names(matched))
	matched, decisions = match(route.Implied(nil, nil), lost)
	require.Empty(t, matched)
	require.Empty(t, decisions)
}

func TestAPostThatIsNotSureWaitsForAPersonUnlessAnotherRuleSendsIt(t *testing.T) {
	t.Parallel()
	const file = "destinations:\n  - id: telegram:-100500\n    per_minute: 20\nrules:\n  - {name: sure, types: [lost], min_confidence: 0.9, to: [telegram:-100500]}\n"
	decide := func(text string, confidence float64) route.Decision {
		routes, err := route.Load([]byte(text), route.StandardDefaults())
		require.NoError(t, err)
		_, decisions := routes.Match(petpost.Post{Reading: petpost.Reading{Type: petpost.Lost, Confidence: confidence}}, "")
		return decisions[0]
	}
	require.True(t, decide(file, 0.89).Matched)
	require.True(t, decide(file, 0.89).Unsure)
	require.Contains(t, decide(file, 0.89).Reason, "89 % sure")
	require.False(t, decide(file, 0.9).Unsure)
	require.False(t, decide(file+"  - {name: all, types: [any], to: [telegram:-100500]}\n", 0.1).Unsure)
	_, err := route.Load([]byte(strings.Replace(file, "0.9", "90", 1)), route.StandardDefaults())
	require.ErrorContains(t, err, "min_confidence")
}

func TestAPostThatMayBeOfTheTypeWaitsForAPersonThoughItWasReadAsAnother(t *testing.T) {
	t.Parallel()
	const file = `
destinations:
  - {id: telegram:-1}
rules:
  - {name: searches, types: [lost, sighting], min_confidence: 0.9, approve_after: 1h, approve_then: publish, to: [telegram:-1]}
`
	decide := func(text string, alternatives map[petpost.Type]float64) route.Decision {
		routes, err := route.Load([]byte(text), route.StandardDefaults())
		require.NoError(t, err)
		_, decisions := routes.Match(petpost.Post{Reading: petpost.Reading{Type: petpost.News, Confidence: 0.6, Alternatives: alternatives}}, "")
		return decisions[0]
	}
	asked := decide(file, map[petpost.Type]float64{petpost.Lost: 0.09, petpost.Sighting: 0.03})
	require.True(t, asked.Matched)
	require.True(t, asked.Unsure)
	require.Equal(t, route.Approval{Asks: true, After: time.Hour, Then: route.Drop}, asked.Approval, "silence doesn't make a search of it")
	require.Equal(t, "rule «searches»: type news, but 12 % likely lost or sighting: a person is asked", asked.Reason)

	require.False(t, decide(file, map[petpost.Type]float64{petpost.Lost: 0.09, petpost.Found: 0.3}).Matched, "a tenth is asked for")
	require.False(t, decide(strings.Replace(file, "min_confidence: 0.9, approve_after: 1h, approve_then: publish, ", "", 1), map[petpost.Type]float64{petpost.Lost: 0.45}).Matched)
	news := decide(file+"  - {name: news, types: [news], min_confidence: 0.7, to: [telegram:-1]}\n", map[petpost.Type]float64{petpost.Lost: 0.4})
	require.Equal(t, "rule «news»: type news, but only 60 % sure of the type: a person is asked", news.Reason, "the rule that wants the type as read asks first")
}

func TestWordsAreReplacedAndCut(t *testing.T) {
	t.Parallel()
	const file = "destinations:\n  - id: telegram:-100500\n    replace:\n      - {find: 'подпи(шитесь|сывайтесь).*'}\n      - {find: 'кот(ик)?\\b', with: КОТ}\nrules:\n  - {types: [any], to: [telegram:-100500]}\n"
	routes, err := route.Load([]byte(file), route.StandardDefaults())
	require.NoError(t, err)
	about := petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: 1}, Text: "Пропал Барсик\n\nПодпишитесь на нас!", Reposts: []post.Repost{{Text: "Подписывайтесь\nПропал Барсик, рыжий"}}})
	words := notice.Compose(about, routes.Targets()[0].Settings.TelegramOptions().Frame, 0).Words.String()
	require.Equal(t, "Пропал Барсик\n\nИз репоста:\nПропал Барсик, рыжий", words)
	for _, wrong := range []string{"{with: a}", "{find: '('}", "{find: a, by: b}"} {
		_, err := route.Load([]byte(strings.Replace(file, "{find: 'подпи(шитесь|сывайтесь).*'}", wrong, 1)), route.StandardDefaults())
		require.ErrorContains(t, err, "replace", wrong)
	}
}

func TestAPersonIsAskedWhereARuleOrADestinationSaysSo(t *testing.T) {
	t.Parallel()
	const file = `
destinations:
  - {id: telegram:-1}
  - {id: telegram:-2, approve: true, approve_after: 2h, approve_then: publish}
rules:
  - {name: all, types: [lost], approve: true, approve_after: 30m, to: [telegram:-1, telegram:-2]}
  - {name: cats, types: [lost], animals: [cat], to: [telegram:-1, telegram:-2]}
  - {name: found, types: [found], min_confidence: 1, approve_after: 1h, to: [telegram:-1]}
`
	routes, err := route.Load([]byte(file), route.StandardDefaults())
	require.NoError(t, err)
	approvals := func(text string) []route.Approval {
		_, decisions := routes.Match(petpost.ReadPost(post.Post{Text: text}), "")
		return []route.Approval{decisions[0].Approval, decisions[1].Approval}
	}
	drop := route.Approval{Asks: true, After: 30 * time.Minute, Then: route.Drop}
	publish := route.Approval{Asks: true, After: 2 * time.Hour, Then: route.Publish}
	require.Equal(t, []route.Approval{drop, drop}, approvals("Пропала собака, рыжая, улица Речная"), "where both ask, the rule says how long")
	require.Equal(t, []route.Approval{{}, publish}, approvals("Пропала кошка, рыжая, улица Речная"), "one rule asks nobody, the destination does")
	_, decisions := routes.Match(petpost.ReadPost(post.Post{Text: "Пропала кошка, рыжая, улица Речная"}), "")
	require.Contains(t, decisions[1].Reason, "a person approves it first")
	_, decisions = routes.Match(petpost.ReadPost(post.Post{Text: "Найден пёс, наверное, ищем хозяев"}), "")
	require.True(t, decisions[0].Unsure)
	require.Equal(t, route.Approval{Asks: true, After: time.Hour, Then: route.Drop}, decisions[0].Approval)
}

func TestApprovalThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"approve: yes please":                                  "approve: expected true or false",
		"approve_after: 30m":                                   "approve_after without approve: true: nobody is asked",
		"approve: true, approve_after: 30":                     `approve_after: "30" is no time from 1m to 168h; write for example 30m`,
		"approve: true, approve_after: 10s":                    "is no time from 1m to 168h",
		"approve: true, approve_then: drop":                    "approve_then needs approve_after: how long a person may take",
		"approve: true, approve_after: 1h, approve_then: wait": `"wait" is not one of publish, drop`,
	} {
		_, err := route.Load([]byte("destinations:\n  - {id: telegram:-1, "+keys+"}\nrules:\n  - {types: [any], to: [telegram:-1]}\n"), route.StandardDefaults())
		require.ErrorContains(t, err, want, keys)
		_, err = route.Load([]byte("destinations:\n  - {id: telegram:-1}\nrules:\n  - {types: [any], to: [telegram:-1], "+keys+"}\n"), route.StandardDefaults())
		require.ErrorContains(t, err, want, keys)
	}
}
