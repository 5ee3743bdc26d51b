// Command learn makes petpost's model.tsv: the weights of two multinomial
// logistic models, for the type and for the animal, over the features that
// petpost.Prepare gives, learned from the labelled corpora. `make model` runs it
// after the vocabulary or the corpora have changed; the same input always makes
// the same table, byte for byte.
//
//	go run ./internal/petpost/learn [-check] [file.jsonl …]
//
// It prints how well the model reads posts that it has not learned from: every
// tenth of the corpora in turn is read by a model of the others, and so is each
// corpus as a whole, which tells more of walls that are worded in their own way.
// From the tenths it also takes how well the model knows when it is unsure, and
// scales the weights so that the odds of the types are true. With -check nothing is written.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

// sample is one text with its labels.
type sample struct {
	*petpost.Prepared
	post   *corpus.Post
	labels [len(questions)][]int // the columns of the answers that are right
}

func main() {
	check := flag.Bool("check", false, "measure, write nothing")
	dir := flag.String("dir", "internal/petpost", "where the package is")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		for _, name := range corpus.Training {
			files = append(files, filepath.Join(*dir, "testdata", name))
		}
	}
	samples, err := load(files)
	if err != nil {
		fail(err)
	}
	tenths := leaveTenthsOut(samples)
	temperature := calibrate(samples, tenths)
	fmt.Printf("calibration: the weights are divided by %.2f\n", temperature)
	measure("every tenth", samples, files, tenths, temperature)
	measure("whole corpora", samples, files, leaveOut(samples, len(files), func(i int) int { return slices.Index(files, samples[i].post.File) }), temperature)
	if *check {
		return
	}
	if err := os.WriteFile(filepath.Join(*dir, "model.tsv"), train(samples).table(temperature), 0o644); err != nil {
		fail(err)
	}
}

func load(files []string) ([]*sample, error) {
	samples := make([][]*sample, len(files))
	err := atOnce(len(files), func(i int) error {
		posts, err := corpus.Load(files[i])
		samples[i] = read(posts)
		return err
	})
	return slices.Concat(samples...), err
}

// atOnce does something n times, as often at once as there are processors.
func atOnce(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

func leaveTenthsOut(samples []*sample) []row {
	const folds = 10
	return leaveOut(samples, folds, func(i int) int { return i % folds })
}

// read takes the posts of one text, without what their walls repeat; what a
// repost makes of two is no matter of the model.
func read(posts []corpus.Post) []*sample {
	var samples []*sample
	walls := corpus.LearnWalls(posts)
	for i := range posts {
		text, _ := walls[posts[i].OwnerID].Strip(posts[i].Text)
		switch n := len(posts[i].CopyHistory); {
		case n > 0 && text == "":
			text = posts[i].CopyHistory[n-1].Text
		case n > 0:
			continue
		}
		want := posts[i].Want
		s := &sample{Prepared: petpost.Prepare(text), post: &posts[i]}
		for _, t := range append(want.OrType, want.Type) {
			if k := slices.Index(petpost.ModelTypes[:], t); k >= 0 {
				s.labels[0] = append(s.labels[0], k)
			}
		}
		for _, a := range append(want.OrAnimal, want.Animal) {
			s.labels[1] = append(s.labels[1], len(petpost.ModelTypes)+slices.Index(petpost.ModelAnimals[:], a))
		}
		if len(s.labels[0]) == 0 {
			continue
		}
		samples = append(samples, s)
	}
	return samples
}

// leaveOut gives the sums of each text by a model that was learned without the
// texts of its fold.
func leaveOut(samples []*sample, folds int, foldOf func(i int) int) []row {
	sums := make([]row, len(samples))
	_ = atOnce(folds, func(fold int) error {
		var rest []*sample
		for i, s := range samples {
			if foldOf(i) != fold {
				rest = append(rest, s)
			}
		}
		m := train(rest)
		for i, s := range samples {
			if foldOf(i) == fold {
				sums[i] = m.sums(m.known(s.Features))
			}
		}
		return nil
	})
	return sums
}

// measure prints how often texts that were not learned from are read rightly,
// corpus by corpus.
func measure(title string, samples []*sample, files []string, sums []row, temperature float64) {
	type count struct{ texts, right, falseLost, missedLost, animal int }
	counts := map[string]*count{}
	all := &count{}
	for _, file := range files {
		counts[file] = &count{}
	}
	for i, s := range samples {
		written := sums[i].written(temperature)
		typ, animal, _ := s.Decide(&written)
		want := s.post.Want
		for _, c := range []*count{counts[s.post.File], all} {
			c.texts++
			c.right += one(want.TypeIs(typ))
			c.falseLost += one(typ == petpost.Lost && !want.TypeIs(typ))
			c.missedLost += one(want.Type == petpost.Lost && !want.TypeIs(typ))
			c.animal += one(want.AnimalIs(animal))
		}
	}
	fmt.Printf("%s left out:\n", title)
	show := func(name string, c *count) {
		fmt.Printf("%-16s %4d texts: type %.1f %%, false lost %d, missed lost %d; animal %.1f %%\n", name,
			c.texts, percent(c.right, c.texts), c.falseLost, c.missedLost, percent(c.animal, c.texts))
	}
	for _, file := range files {
		show(filepath.Base(file), counts[file])
	}
	show("all", all)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(b) }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
