// Package operators knows who may look at Vestnik's console and who may decide
// there: by name, role and the hash of a token.
package operators

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vestnik/internal/config"
	"vestnik/internal/words"
)

// Roles of an operator.
const (
	Look   = "look"   // may see everything and change nothing
	Decide = "decide" // may decide, too
)

// FirstKey is the name of whoever holds OPS_TOKEN.
const FirstKey = "OPS_TOKEN"

// Operator is a person, or a program of theirs.
type Operator struct {
	Name string `json:"name"`
	Role string `json:"role"`
	hash [sha256.Size]byte
}

// Decides reports whether the operator may change anything.
func (o Operator) Decides() bool { return o.Role == Decide }

// Key derives a secret of the operator's: another token is another key.
func (o Operator) Key() []byte { return o.hash[:] }

// name keeps a line of the file, a cookie and a log in order.
var name = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$`)

// ErrName is returned for a name that no line can hold.
var ErrName = errors.New("a name has 1 to 40 letters, digits, dots, dashes and underscores")

// List is OPS_TOKEN's holder and those of OPS_TOKENS_FILE, which is read again
// when it has changed. It is safe for concurrent use.
type List struct {
	first config.Secret
	path  string

	mu       sync.Mutex
	modified time.Time
	size     int64
	read     []Operator
}

// Open returns a list of the first key, if it is set, and of the file, if path
// is not empty.
func Open(first config.Secret, path string) (*List, error) {
	l := &List{first: first, path: path}
	_, err := l.All()
	return l, err
}

// All returns the operators, the first key first. On an error of the file, they
// are the first key and those that were read last.
func (l *List) All() ([]Operator, error) {
	var all []Operator
	if l.first.IsSet() {
		all = append(all, Operator{Name: FirstKey, Role: Decide, hash: sha256.Sum256([]byte(l.first.Reveal()))})
	}
	if l.path == "" {
		return all, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.refresh()
	return append(all, l.read...), err
}

func (l *List) refresh() error {
	stat, err := os.Stat(l.path)
	if err != nil {
		return fmt.Errorf("OPS_TOKENS_FILE: %w", err)
	}
	if stat.ModTime().Equal(l.modified) && stat.Size() == l.size {
		return nil
	}
	read, err := readFile(l.path)
	if err != nil {
		return err
	}
	l.read, l.modified, l.size = read, stat.ModTime(), stat.Size()
	return nil
}

// ByToken returns the operator with a token.
func (l *List) ByToken(token string) (found Operator, ok bool, err error) {
	hash := sha256.Sum256([]byte(token))
	all, err := l.All()
	for _, operator := range all { // all of them, however soon one fits
		if subtle.ConstantTimeCompare(operator.hash[:], hash[:]) == 1 {
			found, ok = operator, true
		}
	}
	return found, ok, err
}

// ByName returns the operator of a name.
func (l *List) ByName(name string) (Operator, bool) {
	all, _ := l.All() // those that were read last still count
	at := slices.IndexFunc(all, func(operator Operator) bool { return operator.Name == name })
	if at < 0 {
		return Operator{}, false
	}
	return all[at], true
}

func readFile(path string) ([]Operator, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("OPS_TOKENS_FILE: %w", err)
	}
	return parse(path, slices.Collect(strings.Lines(string(text))))
}

// parse reads lines of a name, a role and the hash of a token; # begins a comment.
func parse(path string, lines []string) ([]Operator, error) {
	var list []Operator
	for number, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		fault := func(what string) error { return fmt.Errorf("OPS_TOKENS_FILE %s: line %d: %s", path, number+1, what) }
		if len(fields) != 3 {
			return nil, fault("want a name, a role and the hash of a token; `vestnik operator add` writes such lines")
		}
		operator := Operator{Name: fields[0], Role: fields[1]}
		hash, err := hex.DecodeString(fields[2])
		switch {
		case !name.MatchString(operator.Name), operator.Name == FirstKey:
			return nil, fault(ErrName.Error())
		case operator.Role != Look && operator.Role != Decide:
			return nil, fault("the role is look or decide")
		case err != nil || len(hash) != sha256.Size:
			return nil, fault("the hash is 64 hexadecimal digits, as `vestnik operator add` writes it")
		case slices.ContainsFunc(list, func(other Operator) bool { return other.Name == operator.Name }):
			return nil, fault("the name stands there twice")
		}
		operator.hash = [sha256.Size]byte(hash)
		list = append(list, operator)
	}
	return list, nil
}

// Add writes an operator into the file at path, making it if need be, and
// returns the token, which is kept nowhere.
func Add(path, who, role string) (token string, err error) {
	if !name.MatchString(who) || who == FirstKey {
		return "", ErrName
	}
	err = change(path, func(lines []string, list []Operator) ([]string, error) {
		if slices.ContainsFunc(list, func(other Operator) bool { return other.Name == who }) {
			return nil, fmt.Errorf("operator %q is there already: remove it first for a new token", who)
		}
		token = rand.Text()
		return append(lines, fmt.Sprintf("%s %s %x", who, role, sha256.Sum256([]byte(token)))), nil
	})
	return token, err
}

// Remove takes an operator out of the file at path: what is open in their name
// ends. *words.Unknown if there is none.
func Remove(path, who string) error {
	return change(path, func(lines []string, list []Operator) ([]string, error) {
		var names []string
		for _, operator := range list {
			names = append(names, operator.Name)
		}
		if !slices.Contains(names, who) {
			return nil, words.NewUnknown("operator", who, names, "`vestnik operator list` shows them all")
		}
		return slices.DeleteFunc(lines, func(line string) bool {
			fields := strings.Fields(line)
			return len(fields) > 0 && fields[0] == who
		}), nil
	})
}

// change replaces the file at path by what edit makes of its lines, comments
// among them; who else changes a file of that folder waits.
func change(path string, edit func(lines []string, list []Operator) ([]string, error)) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("OPS_TOKENS_FILE: %w", err)
	}
	defer func() { _ = folder.Close() }() // gives the lock back
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("OPS_TOKENS_FILE: lock its folder: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("OPS_TOKENS_FILE: %w", err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	list, err := parse(path, lines)
	if err != nil {
		return err
	}
	if lines, err = edit(lines, list); err != nil {
		return err
	}
	return config.WriteSecret(path, []byte(strings.Join(lines, "\n")+"\n"))
}

type actorKey struct{}

// Actor is who does something, and through what.
type Actor struct {
	Name string
	Via  string // console, api, cli, telegram
}

// As makes an actor responsible for what is done with ctx.
func As(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// Of returns who is responsible for what is done with ctx; empty if nobody said.
func Of(ctx context.Context) Actor {
	actor, _ := ctx.Value(actorKey{}).(Actor)
	return actor
}
