package main

import (
	"fmt"
	"os"
	"strings"
	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

func main() {
	posts, err := corpus.Load(os.Args[1])
	if err != nil {
		panic(err)
	}
	for i := range posts {
		r := petpost.Parse(posts[i].Input())
		if r.Type == "news" || r.Type == "unknown" || r.Type == "link" {
			continue
		}
		t := strings.ReplaceAll(posts[i].Text, "\n", " / ")
		for _, c := range posts[i].CopyHistory {
			t += " <= " + c.Text
		}
		fmt.Printf("%s\n    n=%q sex=%q loc=%q when=%q br=%q age=%q col=%q con=%v\n", t, r.Name, r.Sex, r.Location, r.When, r.Breed, r.Age, r.Color, r.Contacts)
	}
}
