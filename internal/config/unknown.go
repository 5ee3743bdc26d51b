package config

import (
	"maps"
	"slices"
	"strings"
)

// ours are the beginnings of names that are Vestnik's alone. Others, such as
// HTTP_ or LOG_, belong to many programs.
var ours = []string{"TG_", "VK_", "BOT_", "GUIDE_", "TELEGRAM_"}

// Unknown lists variables of environ that look like Vestnik's and are not
// read by it: most often a slip such as TG_CHAT_ID for TG_CHAT. They are no
// faults, for other programs may share the environment.
func Unknown(environ map[string]string) []string {
	known := map[string]bool{}
	for _, variable := range Variables() {
		known[variable.Name] = true
		known[variable.Name+"_FILE"] = variable.Secret
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		isOurs := slices.ContainsFunc(ours, func(front string) bool { return strings.HasPrefix(name, front) })
		if isOurs && !known[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
