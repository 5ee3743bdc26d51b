// Command eval measures the reading of posts against the labelled corpora and
// prints precision and recall per type and field, and the misses.
//
//	go run ./internal/petpost/eval [-v] [file.jsonl …]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"vestnik/internal/petpost/corpus"
)

func main() {
	verbose := flag.Bool("v", false, "show the evidence behind each miss")
	dir := flag.String("dir", "internal/petpost/testdata", "where the corpora are")
	flag.Parse()
	if files := flag.Args(); len(files) > 0 {
		for _, file := range files {
			posts(file, *verbose)
		}
		return
	}
	for _, name := range slices.Concat(corpus.Training, corpus.HeldOut, []string{"places.jsonl"}) {
		posts(filepath.Join(*dir, name), *verbose)
	}
	for _, name := range []string{"pairs.jsonl", "blind_pairs.jsonl"} {
		pairs, err := corpus.LoadPairs(filepath.Join(*dir, name))
		if err != nil {
			fail(err)
		}
		corpus.EvaluatePairs(os.Stdout, name, pairs)
	}
}

func posts(file string, verbose bool) {
	posts, err := corpus.Load(file)
	if err != nil {
		fail(err)
	}
	corpus.Evaluate(posts).Print(os.Stdout, filepath.Base(file), verbose)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
