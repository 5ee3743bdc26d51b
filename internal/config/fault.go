package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// CodeInternalConfig marks the faults of the guide bot, by the error
// catalogue of its specification (4.5.3).
const CodeInternalConfig = "INTERNAL_CONFIG_ERROR"

// Fault is one thing that is wrong with the environment, and what to do.
type Fault struct {
	Variable string
	Problem  string // "is not set"
	Remedy   string // "set it to …"
	Code     string // empty, or CodeInternalConfig
}

// Error is one line: what is wrong, then the remedy.
func (f Fault) Error() string {
	line := fmt.Sprintf("%s %s: %s", f.Variable, f.Problem, f.Remedy)
	if f.Code != "" {
		line = f.Code + ": " + line
	}
	return line
}

// Faults are all faults of an environment at once, in the order of
// [Variables].
type Faults []Fault

// Error is one line per fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// sheet collects faults while an environment is read. The first fault of a
// variable is the one worth reading; later rules would only repeat it.
type sheet struct{ faults Faults }

func (s *sheet) add(variable, problem, remedy string) {
	if !s.has(variable) && !s.has(variable+"_FILE") {
		s.faults = append(s.faults, Fault{Variable: variable, Problem: problem, Remedy: remedy})
	}
}

func (s *sheet) has(variable string) bool {
	for _, fault := range s.faults {
		if fault.Variable == variable {
			return true
		}
	}
	return false
}

func (s *sheet) err() error {
	if len(s.faults) == 0 {
		return nil
	}
	place, codes := map[string]int{}, map[string]string{}
	for i, variable := range Variables() {
		for _, name := range []string{variable.Name, variable.Name + "_FILE"} {
			place[name], codes[name] = i, variable.Code
		}
	}
	for i := range s.faults {
		s.faults[i].Code = codes[s.faults[i].Variable]
	}
	slices.SortStableFunc(s.faults, func(a, b Fault) int { return cmp.Compare(place[a.Variable], place[b.Variable]) })
	return s.faults
}
