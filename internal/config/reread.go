package config

import (
	"reflect"
	"strings"
)

// Files are the paths of the files that hold settings, as environ names them.
func Files(environ map[string]string) []string {
	var paths []string
	for _, variable := range Variables() {
		name := variable.Name
		if variable.InFile {
			name += "_FILE"
		}
		if path := environ[name]; path != "" && (variable.InFile || name == "ROUTES_FILE") {
			paths = append(paths, path)
		}
	}
	return paths
}

// TakeUp takes over what may change while a process runs from settings that were
// read again: the secrets, for everybody who holds a copy of them. It returns the
// variables that have changed and ask for a restart. The walls are whoever's who
// reads them ([vestnik/internal/relay.Relay.WatchedWalls]).
func (c *Config) TakeUp(again Config) (restart []string) {
	others := map[string]reflect.Value{}
	for variable, field := range again.settings() {
		others[variable.Name] = field
	}
	for variable, field := range c.settings() {
		was, secret := field.Interface().(Secret)
		is, _ := others[variable.Name].Interface().(Secret)
		switch {
		case secret && was.Reveal() == is.Reveal():
		case secret && variable.Reread && was.IsSet() && is.IsSet() && (variable.Name != "TELEGRAM_BOT_TOKEN" || sameBot(was, is)):
			was.value.Store(is.value.Load())
		case secret, !variable.Reread && printed(field) != printed(others[variable.Name]):
			restart = append(restart, variable.Name)
		}
	}
	return restart
}

// sameBot reports whether two tokens are one bot's, whose number stands before the
// colon. The guide's sessions are the bot's.
func sameBot(a, b Secret) bool {
	of := func(s Secret) string { number, _, _ := strings.Cut(s.Reveal(), ":"); return number }
	return of(a) == of(b)
}
