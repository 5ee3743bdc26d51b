package corpus

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"vestnik/internal/petpost"
)

// Print writes the tables: per type, per field, then the misses with their
// evidence if verbose.
func (r *Result) Print(w io.Writer, title string, verbose bool) {
	fmt.Fprintf(w, "%s: %d posts\n\n", title, r.Posts)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "type\tposts\tprecision\trecall\t")
	for _, t := range petpost.Types {
		c := r.Types[t]
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t\n", t, c.Hit+c.Missed, percent(c.Hit, c.Hit+c.Extra), percent(c.Hit, c.Hit+c.Missed))
	}
	fmt.Fprintln(tw, "\t\t\t\t")
	fmt.Fprintln(tw, "field\tlabelled\tright\t\t")
	for _, f := range []string{"type", "animal", "phones", "sex", "name", "location", "when", "breed", "age", "contacts"} {
		if c := r.Fields[f]; c != nil {
			fmt.Fprintf(tw, "%s\t%d\t%s\t\t\n", f, c.labelled(), percent(c.Hit, c.labelled()))
		}
	}
	tw.Flush()
	fmt.Fprintf(w, "\n%d misses\n", len(r.Misses))
	for i := range r.Misses {
		r.Misses[i].print(w, verbose)
	}
	fmt.Fprintln(w)
}

func (m *Miss) print(w io.Writer, verbose bool) {
	text := m.Post.Text
	for _, c := range m.Post.CopyHistory {
		text += " <= " + c.Text
	}
	fmt.Fprintf(w, "  line %d  %s: got %q, want %q (%.0f %% sure)\n      %s\n", m.Post.Line, m.Field, m.Got, m.Want, 100*m.Reading.Confidence, shorten(strings.ReplaceAll(text, "\n", " / "), 400))
	if !verbose {
		return
	}
	for _, e := range m.Reading.Evidence {
		if e.Field == m.Field {
			fmt.Fprintf(w, "        %-22s %-14s %+3d  %q %s\n", e.Rule, e.Points, e.Weight, e.Words, e.Source)
		}
	}
}

// PrintConfusion writes which types were read as which: a row for each label, a
// column for each reading.
func (r *Result) PrintConfusion(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "labelled \\ read")
	for _, t := range petpost.Types {
		fmt.Fprintf(tw, "\t%s", t)
	}
	fmt.Fprintln(tw, "\t")
	for _, want := range petpost.Types {
		fmt.Fprint(tw, want)
		for _, got := range petpost.Types {
			cell := "·"
			if n := r.Confusion[[2]petpost.Type{want, got}]; n > 0 {
				cell = fmt.Sprint(n)
			}
			fmt.Fprintf(tw, "\t%s", cell)
		}
		fmt.Fprintln(tw, "\t")
	}
	tw.Flush()
}

// PrintCalibration writes how sure the readings were and how often right, and
// what asking a person about the unsure ones would cost and save.
func (r *Result) PrintCalibration(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "sure of the type\tposts\tsaid\tright\t")
	for _, bin := range [][2]float64{{0, 0.5}, {0.5, 0.7}, {0.7, 0.8}, {0.8, 0.9}, {0.9, 0.95}, {0.95, 0.99}, {0.99, 1.01}} {
		posts, right, said := 0, 0, 0.0
		for _, s := range r.Sure {
			if s.Confidence >= bin[0] && s.Confidence < bin[1] {
				posts, right, said = posts+1, right+one(s.Right), said+s.Confidence
			}
		}
		if posts > 0 {
			fmt.Fprintf(tw, "%.2f–%.2f\t%d\t%.1f %%\t%s\t\n", bin[0], min(bin[1], 1), posts, 100*said/float64(posts), percent(right, posts))
		}
	}
	tw.Flush()
	fmt.Fprintln(w, "\nof 1,000 posts, where a rule takes types: [any], and where it takes [lost]")
	fmt.Fprintln(tw, "min_confidence\tany: asked\tgo out wrong\tlost: asked\tgo out wrong\tmissed\t")
	for _, least := range []float64{0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
		asked, wrong := 0, 0
		for _, s := range r.Sure {
			asked += one(s.Confidence < least)
			wrong += one(s.Confidence >= least && !s.Right)
		}
		searches := r.SearchesAt(least)
		of := func(n int) float64 { return perThousand(n, len(r.Sure)) }
		fmt.Fprintf(tw, "%.2f\t%.0f\t%.1f\t%.0f\t%.1f\t%.1f\t\n", least, of(asked), of(wrong), of(searches.Asked), of(searches.False), of(searches.Missed))
	}
	tw.Flush()
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func perThousand(a, b int) float64 { return 1000 * float64(a) / float64(b) }

func percent(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
}

func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}
