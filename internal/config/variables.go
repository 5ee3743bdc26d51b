package config

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"reflect"
	"time"
)

// Variable describes one environment variable, as the table of docs/configuration.md does.
type Variable struct {
	Name    string
	Default string // empty if there is none
	About   string
	Secret  bool   // the value is never printed
	InFile  bool   // NAME_FILE works too
	Reread  bool   // taken up without a restart when its file changes
	Code    string // the error code of its faults, empty for most
}

// Origin says where a setting's value came from.
type Origin string

// Where a value came from.
const (
	FromDefault     Origin = "default"
	FromEnvironment Origin = "environment"
	FromFile        Origin = "file"     // read through NAME_FILE
	FromFallback    Origin = "fallback" // taken from another variable
)

// Variables lists every variable that [Load] reads, in the order of the
// structs.
func Variables() []Variable {
	var all []Variable
	for variable := range new(Config).settings() {
		all = append(all, variable)
	}
	return all
}

// settings are the variables with their fields, in the order of the structs.
func (c *Config) settings() iter.Seq2[Variable, reflect.Value] {
	return func(yield func(Variable, reflect.Value) bool) {
		for _, concern := range c.concerns() {
			concern := concern.Elem()
			for i := range concern.NumField() {
				variable, ok := variableOf(concern.Type().Field(i))
				if concern.Type() == reflect.TypeFor[Bot]() {
					variable.Code = CodeInternalConfig
				}
				if ok && !yield(variable, concern.Field(i)) {
					return
				}
			}
		}
	}
}

func variablesByField(concern reflect.Type) map[string]Variable {
	byField := map[string]Variable{}
	for i := range concern.NumField() {
		if variable, ok := variableOf(concern.Field(i)); ok {
			byField[concern.Field(i).Name] = variable
		}
	}
	return byField
}

func variableOf(field reflect.StructField) (Variable, bool) {
	name, ok := field.Tag.Lookup("env")
	if !ok {
		return Variable{}, false
	}
	secret := field.Type == reflect.TypeFor[Secret]()
	return Variable{
		Name:    name,
		Default: field.Tag.Get("envDefault"),
		About:   field.Tag.Get("about"),
		Secret:  secret,
		InFile:  secret || field.Type == reflect.TypeFor[Walls](),
		Reread:  field.Tag.Get("reread") == "true",
	}, true
}

// Setting is a variable with the value a process runs with, masked if it is
// a secret.
type Setting struct {
	Variable
	Value string
	From  Origin
}

// Describe lists every setting with its value, secrets masked. It is what
// `vestnik doctor` prints.
func (c Config) Describe() []Setting {
	var settings []Setting
	for variable, field := range c.settings() {
		settings = append(settings, Setting{Variable: variable, Value: printed(field), From: cmp.Or(c.origins[variable.Name], FromDefault)})
	}
	return settings
}

// SettingsPath is where an api answers an operator what it runs with: see
// [Config.Marked].
const SettingsPath = "/api/v1/ops/settings"

// Marked is [Config.Describe] with a mark behind each mask by which two
// processes that know key see that they hold the same secret.
func (c Config) Marked(key string) []Setting {
	settings, at := c.Describe(), 0
	for _, field := range c.settings() {
		if secret, is := field.Interface().(Secret); is && secret.IsSet() {
			mark := hmac.New(sha256.New, []byte(key))
			_, _ = mark.Write([]byte(secret.Reveal())) // a hash takes everything
			settings[at].Value += " " + hex.EncodeToString(mark.Sum(nil)[:4])
		}
		at++
	}
	return settings
}

// Secrets are all secrets that are set, the password inside DATABASE_URL
// among them, for a log handler to drop wherever they turn up.
func (c Config) Secrets() []Secret {
	var secrets []Secret
	for _, field := range c.settings() {
		if secret, is := field.Interface().(Secret); is && secret.IsSet() {
			secrets = append(secrets, secret)
		}
	}
	if tokens := c.Scan.Tokens(); len(tokens) > 1 {
		secrets = append(secrets, tokens...)
	}
	if password := c.Database.password(); password.IsSet() {
		secrets = append(secrets, password)
	}
	return secrets
}

func printed(value reflect.Value) string {
	if value.Kind() == reflect.Pointer && value.IsNil() {
		return ""
	}
	switch v := value.Interface().(type) {
	case string:
		return v
	case Secret:
		return v.String()
	case Walls:
		return v.String()
	case Callback:
		return v.String()
	case time.Duration:
		return v.String()
	case *time.Location:
		return v.String()
	default:
		return fmt.Sprint(v)
	}
}
