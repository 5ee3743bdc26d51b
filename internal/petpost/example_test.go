package petpost_test

import (
	"fmt"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

func ExampleParse() {
	reading := petpost.Parse(petpost.Input{Text: "Пропал кот Барсик, рыжий, ул. Речная 5, вчера вечером. Тел. 8 (900) 000-12-34 Анна"})
	fmt.Println(reading.Type, reading.Animal, reading.Sex, reading.Name)
	fmt.Println(reading.Location, "|", reading.When)
	fmt.Println(reading.Phones, reading.Contacts)
	fmt.Println("sure:", reading.Confidence > 0.95)
	// Output:
	// lost cat male Барсик
	// ул. Речная 5 | вчера вечером
	// [+79000001234] [Анна]
	// sure: true
}

// A comment over a repost is read together with the post under it.
func ExampleParse_repost() {
	reading := petpost.Parse(petpost.Input{
		Text:    "Нашлась, сидела у соседей! Всем спасибо",
		Reposts: []string{"Убежала такса Муха, чёрная, посёлок Южный. 8 900 000-12-34"},
	})
	fmt.Println(reading.Type, reading.Animal, reading.Name)
	// Output: reunited dog Муха
}

// Evidence names the words that a decision rests on, the heaviest first, and
// what they speak for.
func ExampleParse_evidence() {
	reading := petpost.Parse(petpost.Input{Text: "Пропала собака, такса, ул. Труда 15"})
	for _, e := range reading.Evidence {
		if e.Rule == "lost.title" || e.Rule == "animal.dog" {
			fmt.Printf("%s: %q speaks for %s\n", e.Rule, e.Words, e.Points)
		}
	}
	// Output:
	// animal.dog: "собака" speaks for dog
	// animal.dog: "такса" speaks for dog
	// lost.title: "Пропала собака" speaks for lost
}

// What the posts of a wall repeat says nothing about one of them.
func ExampleLearnWall() {
	const footer = "\nНаши котики ищут дом, заходите в альбом!"
	var texts []string
	for _, news := range []string{"Ярмарка в субботу", "Сдам гараж", "Воды не будет", "С праздником", "Продам велосипед", "Открылась пекарня", "Автобус опоздает", "Концерт в парке"} {
		texts = append(texts, news+footer)
	}
	wall := petpost.LearnWall(texts)
	reading := petpost.Parse(petpost.Input{Text: "Пропала собака Рекс, овчарка, ул. Мира 5" + footer, Wall: &wall})
	fmt.Println(reading.Type, reading.Animal)
	fmt.Println(reading.SetAside)
	// Output:
	// lost dog
	// [Наши котики ищут дом, заходите в альбом!]
}

func ExampleSameCase() {
	fingerprint := func(id int64, text string) petpost.Fingerprint {
		ref := post.ID{OwnerID: -1, PostID: id}
		in := petpost.Input{Text: text}
		return petpost.NewFingerprint(ref, ref, in, petpost.Parse(in))
	}
	lost := fingerprint(1, "Пропал кот Барсик, рыжий, ул. Речная 5. 8 900 000-12-34")
	again := fingerprint(2, "Люди, ищем нашего Барсика! Рыжий кот, Речная 5, звоните 8 900 000-12-34")
	other := fingerprint(3, "Отдам котёнка, трёхцветная девочка, 8 900 000-12-34")
	fmt.Println(petpost.SameCase(lost, again).Same, petpost.SameCase(lost, other).Same)
	// Output: true false
}
