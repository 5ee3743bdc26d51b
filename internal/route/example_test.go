package route_test

import (
	"fmt"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/route"
)

func ExampleRoutes_Match() {
	routes, err := route.Load([]byte(`
destinations:
  - id: telegram:-1001234567890
  - id: vk:-123456
rules:
  - name: собаки
    types: [lost, sighting]
    animals: [dog]
    to: [telegram:-1001234567890, vk:-123456]
  - name: всё, кроме щенков
    types: [any]
    exclude: ["щенк*"]
    to: [vk:-123456]
`), route.StandardDefaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	found := petpost.ReadPost(post.Post{Text: "Найден кот на улице Речной, ищем хозяев"})
	_, decisions := routes.Match(found, "poteryashki_demo")
	for _, decision := range decisions {
		fmt.Println(decision.Destination, decision.Matched, decision.Reason)
	}
	// Output:
	// telegram:-1001234567890 false rule «собаки»: type found is not one of lost, sighting
	// vk:-123456 true rule «всё, кроме щенков»: type found
}

func ExampleLoad_faults() {
	_, err := route.Load([]byte(`
destinations:
  - id: telegram:-1001234567890
    rate_per_sec: 100
rules:
  - name: собаки
    type: [lost]
    to: [vk:-1]
`), route.StandardDefaults())
	fmt.Println(err)
	// Output:
	// routes: line 4: destination 1: rate_per_sec: 100 is out of range; write a number from 0.001 to 30
	// routes: line 6: rule 1: no types; say which posts, for example types: [lost], or [any]
	// routes: line 7: rule 1: unknown field "type"; known keys: name, types, animals, include, include_regex, exclude, exclude_regex, has_phone, min_confidence, approve, approve_after, approve_then, walls, to
	// routes: line 8: rule 1: to: vk:-1 is not listed under destinations
}
