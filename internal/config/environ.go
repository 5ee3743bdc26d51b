package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// fileLimit is far above any token and keeps a wrong path (a log, a
// device) from being read into memory.
const fileLimit = 64 << 10

// Environ is the process's environment in the form that [Load] takes.
func Environ() map[string]string { return env.ToMap(os.Environ()) }

// present is environ without the variables that hold nothing but space:
// compose files and shells pass an unset variable on as an empty one. A name
// may be empty too, and would set every field that no variable is to set.
func present(environ map[string]string) map[string]string {
	values := make(map[string]string, len(environ))
	for name, value := range environ {
		if value = strings.TrimSpace(value); name != "" && value != "" {
			values[name] = value
		}
	}
	return values
}

// readFiles replaces NAME_FILE by NAME with the file's content, for every
// variable that may be in a file.
func readFiles(values map[string]string, faults *faultList, origins map[string]Origin) map[string]string {
	for _, variable := range Variables() {
		name, file := variable.Name, variable.Name+"_FILE"
		path, ok := values[file]
		if !variable.InFile || !ok {
			continue
		}
		if _, both := values[name]; both {
			faults.add(name, "is set together with "+file, "keep only one of the two")
			continue
		}
		secret, err := readFile(path)
		if err != nil {
			faults.add(file, err.Error(), "name a readable file that holds the value and nothing else")
			continue
		}
		values[name] = secret
		origins[name] = FromFile
	}
	return values
}

func readFile(path string) (string, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("cannot be read (%w)", errors.Unwrap(err))
	}
	if !stat.Mode().IsRegular() && stat.Mode()&os.ModeNamedPipe == 0 {
		return "", errors.New("is not a file")
	}
	if stat.Size() > fileLimit {
		return "", errors.New("names a file that is too large")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot be read (%w)", errors.Unwrap(err))
	}
	secret := strings.TrimSpace(string(content))
	if secret == "" {
		return "", errors.New("names an empty file")
	}
	return secret, nil
}

// parse fills every concern from values. A value that does not parse becomes
// a fault and leaves its field at the default.
func (c *Config) parse(values map[string]string, faults *faultList) {
	for _, concern := range c.concerns() {
		variables := variablesByField(concern.Elem().Type())
		for _, err := range parseErrors(env.ParseWithOptions(concern.Interface(), env.Options{Environment: values})) {
			var parse env.ParseError
			if !errors.As(err, &parse) {
				faults.add(concern.Elem().Type().Name(), "cannot be read", err.Error())
				continue
			}
			variable := variables[parse.Name]
			faults.add(variable.Name, "cannot be understood", "write "+form(parse.Type)+example(variable))
		}
		for _, variable := range variables {
			if _, known := c.origins[variable.Name]; known {
				continue
			}
			if _, set := values[variable.Name]; set {
				c.origins[variable.Name] = FromEnvironment
			}
		}
	}
}

func parseErrors(err error) []error {
	var all env.AggregateError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &all):
		return all.Errors
	default:
		return []error{err}
	}
}

// concerns are pointers to Config's structs, in their order.
func (c *Config) concerns() []reflect.Value {
	var concerns []reflect.Value
	config := reflect.ValueOf(c).Elem()
	for i := range config.NumField() {
		if config.Type().Field(i).IsExported() {
			concerns = append(concerns, config.Field(i).Addr())
		}
	}
	return concerns
}

// form says how a value of the type is written.
func form(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch name := t.String(); {
	case name == "time.Duration":
		return "a duration such as 500ms, 10s, 5m or 48h"
	case name == "time.Location":
		return "a name from the time zone database such as Europe/Moscow"
	case t == reflect.TypeFor[Walls]():
		return "screen names or owner ids, separated by commas, such as lostpets_city,-123456"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number such as 0.5"
	default:
		return "a whole number"
	}
}

func example(variable Variable) string {
	if variable.Default == "" {
		return ""
	}
	return ", or leave it out for " + variable.Default
}

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
// reads them ([vestnik/starter.Starter.WatchedWalls]).
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
