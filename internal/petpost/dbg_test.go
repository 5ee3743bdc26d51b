package petpost

import (
	"fmt"
	"os"
	"testing"
)

func TestDbg(t *testing.T) {
	r := &reader{rs: compiled()}
	r.text.cut(os.Getenv("TXT"), &r.rs.lexicon)
	for i := range r.text.words {
		w := &r.text.words[i]
		fmt.Print(r.text.raw[w.start:w.end], " s", w.sentence, ": ")
		for _, c := range r.text.lexOf(w) {
			fmt.Print(r.rs.names[c], " ")
		}
		fmt.Println()
	}
}
