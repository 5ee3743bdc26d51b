// Command report runs the conformance tests and prints, for each paragraph of
// the specification, which of its demands hold. It fails if any does not.
//
//	go run ./conformance/report [-v] [go test flags…]
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	arguments, all := os.Args[1:], false
	if len(arguments) > 0 && arguments[0] == "-v" {
		arguments, all = arguments[1:], true
	}
	command := exec.Command("go", append([]string{"test", "-json", "-count=1", "-timeout=20m", "-run=TestConformance", "./conformance"}, arguments...)...)
	command.Stderr = os.Stderr
	command.Env = append(os.Environ(), "CONFORMANCE_STRICT=1") // the document's milliseconds count
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	demands, rest := read(output)
	testErr := command.Wait()
	failed := write(os.Stdout, demands, all)
	if failed > 0 || testErr != nil {
		if failed == 0 { // it did not get as far as the demands
			fmt.Print(rest)
		}
		os.Exit(1)
	}
}

// demand is a row of the requirements and how its proof went.
type demand struct {
	number    int
	paragraph string
	text      string
	passed    bool
	output    string
}

// event is a line of `go test -json`.
type event struct {
	Action string
	Test   string
	Output string
}

var name = regexp.MustCompile(`^TestConformance/R(\d{3})_§([0-9.]+)_(.+)$`)

func read(from io.Reader) (demands []*demand, rest string) {
	byName := map[string]*demand{}
	var other strings.Builder
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			parts := name.FindStringSubmatch(e.Test)
			if parts == nil {
				other.WriteString(e.Output)
			} else {
				d := byName[e.Test]
				if d == nil {
					number, _ := strconv.Atoi(parts[1])
					d = &demand{number: number, paragraph: parts[2], text: strings.ReplaceAll(parts[3], "_", " ")}
					byName[e.Test] = d
					demands = append(demands, d)
				}
				d.output += e.Output
				d.passed = d.passed || e.Action == "pass"
			}
		} else {
			other.Write(line)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			other.WriteString(err.Error())
			break
		}
	}
	slices.SortFunc(demands, func(a, b *demand) int { return a.number - b.number })
	return demands, other.String()
}

func write(to io.Writer, demands []*demand, all bool) (failed int) {
	for i := 0; i < len(demands); {
		paragraph := demands[i].paragraph
		var of []*demand
		for ; i < len(demands) && demands[i].paragraph == paragraph; i++ {
			of = append(of, demands[i])
		}
		passed := 0
		for _, d := range of {
			if d.passed {
				passed++
			}
		}
		outcome := "pass"
		if passed < len(of) {
			outcome = "FAIL"
		}
		fmt.Fprintf(to, "%s  §%-6s %2d of %2d  R%03d–R%03d\n", outcome, paragraph, passed, len(of), of[0].number, of[len(of)-1].number)
		for _, d := range of {
			switch {
			case !d.passed:
				fmt.Fprintf(to, "      FAIL R%03d %s\n%s", d.number, d.text, indent(d.output))
			case all:
				fmt.Fprintf(to, "      pass R%03d %s\n", d.number, d.text)
			}
		}
		failed += len(of) - passed
	}
	fmt.Fprintf(to, "\n%d of %d demands hold\n", len(demands)-failed, len(demands))
	return failed
}

func indent(output string) string {
	var indented strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "=== ") {
			indented.WriteString("        " + line)
		}
	}
	return indented.String()
}
