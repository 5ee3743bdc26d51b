// Command eval measures the reading of posts against the labelled corpora and
// prints precision and recall per type and field, the misses, and for the posts
// that the model has not learned from which types it confuses and how well it
// knows when it is unsure.
//
//	go run ./internal/petpost/eval [-v] [file.jsonl …]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"vestnik/internal/petpost/corpus"
)

func main() {
	verbose := flag.Bool("v", false, "show the evidence behind each miss")
	dir := flag.String("dir", "internal/petpost/testdata", "where the corpora are")
	flag.Parse()
	if files := flag.Args(); len(files) > 0 {
		all := &corpus.Result{}
		for _, file := range files {
			all.Add(posts(file, filepath.Base(file), *verbose))
		}
		summary(all)
		return
	}
	for _, name := range corpus.Training {
		posts(filepath.Join(*dir, name), name+" (learned from)", *verbose)
	}
	posts(filepath.Join(*dir, "places.jsonl"), "places.jsonl (written for places)", *verbose)
	heldOut := &corpus.Result{}
	for _, name := range corpus.HeldOut {
		heldOut.Add(posts(filepath.Join(*dir, name), name+" (held out)", *verbose))
	}
	for _, name := range []string{"pairs.jsonl", "blind_pairs.jsonl"} {
		pairs, err := corpus.LoadPairs(filepath.Join(*dir, name))
		if err != nil {
			fail(err)
		}
		corpus.EvaluatePairs(os.Stdout, name, pairs)
	}
	summary(heldOut)
}

func posts(file, title string, verbose bool) *corpus.Result {
	posts, err := corpus.Load(file)
	if err != nil {
		fail(err)
	}
	result := corpus.Evaluate(posts)
	result.Print(os.Stdout, title, verbose)
	return result
}

// summary prints the tables over several corpora.
func summary(r *corpus.Result) {
	fmt.Printf("held out together: %d posts\n\n", r.Posts)
	r.PrintConfusion(os.Stdout)
	fmt.Println()
	r.PrintCalibration(os.Stdout)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
