// Package words is how the product counts and guesses in what it says to people.
package words

import (
	"fmt"
	"slices"

	"github.com/agnivade/levenshtein"
)

// Longest texts that Telegram takes, in code points after it has parsed their
// entities (Bot API; tdlib's utf8_length).
const (
	MessageLimit = 4096
	CaptionLimit = 1024 // of a photo, an album, an animation, a document
)

// Count is a number with its noun: "1 delivery", "2 deliveries".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Russian is a number with its noun: "1 место", "2 места", "5 мест".
func Russian(n int, one, few, many string) string {
	noun := many
	switch {
	case n%10 == 1 && n%100 != 11:
		noun = one
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		noun = few
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Nearest returns the known name that was most likely meant, "" if none is
// near: up to one letter in three may differ. Two letters that have changed
// places count as one.
func Nearest(name string, known []string) string {
	nearest, least := "", (len([]rune(name))+1)/3+1
	for _, candidate := range slices.Sorted(slices.Values(known)) {
		if distance := distance(name, candidate); distance < least {
			nearest, least = candidate, distance
		}
	}
	return nearest
}

func distance(name, candidate string) int {
	least := levenshtein.ComputeDistance(name, candidate)
	letters := []rune(name)
	for i := 1; i < len(letters); i++ {
		letters[i-1], letters[i] = letters[i], letters[i-1]
		least = min(least, 1+levenshtein.ComputeDistance(string(letters), candidate))
		letters[i-1], letters[i] = letters[i], letters[i-1]
	}
	return least
}

// Unknown means that nothing goes by a name.
type Unknown struct {
	What, Name string // "destination", "telegram:-5"
	Nearest    string // the name that was most likely meant, "" if none is near
	Remedy     string // where to look
}

// NewUnknown looks for the nearest of the known names.
func NewUnknown(what, name string, known []string, remedy string) *Unknown {
	return &Unknown{What: what, Name: name, Nearest: Nearest(name, known), Remedy: remedy}
}

// Error names the nearest name and the remedy.
func (u *Unknown) Error() string {
	text := fmt.Sprintf("%s %q is not known: ", u.What, u.Name)
	if u.Nearest != "" {
		text += fmt.Sprintf("did you mean %q? ", u.Nearest)
	}
	return text + u.Remedy
}
