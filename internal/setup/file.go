package setup

import (
	"errors"
	"os"
	"slices"
	"strings"

	"vestnik/internal/config"
)

// write puts values into a file of NAME=value lines that only its owner may
// read: in the place of the lines that set them, or at the end. All other lines
// stay as they are.
func write(path string, values map[string]string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var lines []string
	written := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		value, ours := values[name]
		switch {
		case ours && written[name]:
			continue // said twice
		case ours:
			line = name + "=" + value
			written[name] = true
		}
		lines = append(lines, line)
	}
	var added []string
	for name, value := range values {
		if !written[name] {
			added = append(added, name+"="+value)
		}
	}
	slices.Sort(added)
	lines = append(lines, added...)

	return config.WriteSecret(path, []byte(strings.Join(lines, "\n")+"\n"))
}
