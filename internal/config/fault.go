package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
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

// faultList collects faults while an environment is read. The first fault of a
// variable is the one worth reading; later rules would only repeat it.
type faultList struct{ all Faults }

func (l *faultList) add(variable, problem, remedy string) {
	if !l.has(variable) && !l.has(variable+"_FILE") {
		l.all = append(l.all, Fault{Variable: variable, Problem: problem, Remedy: remedy})
	}
}

// letters is how many may be wrong, missing or too many in a variable's name
// that is still meant.
const letters = 2

// misspelt adds a fault for each variable that is none of ours, and nearly one
// that is not set. Other programs' variables share no first word with ours, and
// the tokens that a routes file names are commonly a variable of ours and a
// number: VK_OUT_TOKEN_2.
func (l *faultList) misspelt(given map[string]string) {
	known := map[string]bool{}
	for _, variable := range Variables() {
		known[variable.Name] = true
		if variable.InFile {
			known[variable.Name+"_FILE"] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if known[name] || strings.HasPrefix(name, "TEMPORAL_TLS_") { // the Temporal SDK's own are many
			continue
		}
		first, _, _ := strings.Cut(name, "_")
		for _, meant := range slices.Sorted(maps.Keys(known)) {
			if _, set := given[meant]; !set && strings.HasPrefix(meant, first+"_") && !strings.HasPrefix(name, meant+"_") && levenshtein.ComputeDistance(name, meant) <= letters {
				l.add(name, "is not known", "did you mean "+meant+"?")
				break
			}
		}
	}
}

func (l *faultList) has(variable string) bool {
	return slices.ContainsFunc(l.all, func(fault Fault) bool { return fault.Variable == variable })
}

func (l *faultList) err() error {
	if len(l.all) == 0 {
		return nil
	}
	place, codes := map[string]int{}, map[string]string{}
	for i, variable := range Variables() {
		for _, name := range []string{variable.Name, variable.Name + "_FILE"} {
			place[name], codes[name] = i, variable.Code
		}
	}
	for i := range l.all {
		l.all[i].Code = codes[l.all[i].Variable]
	}
	slices.SortStableFunc(l.all, func(a, b Fault) int { return cmp.Compare(place[a.Variable], place[b.Variable]) })
	return l.all
}
