// Command eval measures the reading of posts against the labelled corpora and
// prints precision and recall per type and field, and the misses.
//
//	go run ./internal/petpost/eval [-v] [-cases] [file.jsonl …]
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
	files := flag.Args()
	if len(files) == 0 {
		files = []string{filepath.Join(*dir, "train.jsonl"), filepath.Join(*dir, "heldout.jsonl")}
	}
	for _, file := range files {
		posts, err := corpus.Load(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		corpus.Evaluate(posts).Print(os.Stdout, filepath.Base(file), *verbose)
	}
}
