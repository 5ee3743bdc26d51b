package config

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// Mask stands where a secret would be printed.
const Mask = "•••"

// Secret is a token, key or password. Whatever prints it (fmt with any verb,
// encoding/json, log/slog) prints [Mask]; only [Secret.Reveal] gives it out.
//
// The value sits behind a pointer, so that even printing a struct which holds
// a Secret in an unexported field, where fmt cannot call methods, shows an
// address and not the value. Copies share it: what [Config.TakeUp] puts there,
// whoever reveals any of them later gets.
type Secret struct{ value *atomic.Pointer[string] }

// NewSecret wraps value. An empty value makes a secret that is not set.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	secret := Secret{value: new(atomic.Pointer[string])}
	secret.value.Store(&value)
	return secret
}

// IsSet reports whether there is a secret at all.
func (s Secret) IsSet() bool { return s.value != nil }

// Reveal gives the secret out, to be handed to the client that needs it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value.Load()
}

// Matches compares in constant time what somebody presented. A secret that
// is not set matches nothing.
func (s Secret) Matches(presented string) bool {
	if !s.IsSet() {
		return false
	}
	// Hashing first makes the comparison independent of both lengths.
	want, got := sha256.Sum256([]byte(s.Reveal())), sha256.Sum256([]byte(presented))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// String is [Mask], or empty if the secret is not set.
func (s Secret) String() string {
	if !s.IsSet() {
		return ""
	}
	return Mask
}

// GoString is what %#v prints.
func (s Secret) GoString() string { return fmt.Sprintf("config.Secret(%q)", s.String()) }

// Format masks the secret under every verb, %x and %d too.
func (s Secret) Format(state fmt.State, verb rune) {
	text := s.String()
	switch {
	case verb == 'v' && state.Flag('#'):
		text = s.GoString()
	case verb == 'q':
		text = fmt.Sprintf("%q", text)
	}
	_, _ = io.WriteString(state, text)
}

// LogValue is what slog prints.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText masks the secret in every text encoding, map keys included.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON masks the secret in JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalText takes a secret as the environment holds it.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(strings.TrimSpace(string(text)))
	return nil
}

// WriteSecret replaces a file at once, so that no reader sees half of it; only
// its owner may read it, who stays the same: the process that reads it may be
// another user than the person who writes.
func WriteSecret(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(content)
	if stat, statErr := os.Stat(path); statErr == nil {
		if owner, known := stat.Sys().(*syscall.Stat_t); known {
			err = errors.Join(err, file.Chown(int(owner.Uid), -1))
		}
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}
