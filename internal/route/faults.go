package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing in a routes file that cannot be meant.
type Fault struct {
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Where is the entry and key, such as "rule 2: types".
	Where string
	// Reason says what is wrong and what to write instead.
	Reason string
}

func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Where != "" {
		b.WriteString(f.Where + ": ")
	}
	return b.String() + f.Reason
}

// Faults is everything that is wrong in a routes file, in the order of lines.
// Its text has one line per fault.
type Faults []Fault

// Error lists the faults, one per line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = "routes: " + fault.String()
	}
	return strings.Join(lines, "\n")
}

// orNil is the faults as an error, sorted by line; nil if there are none.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return f
}
