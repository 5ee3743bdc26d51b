package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	languages "golang.org/x/text/language"

	"vestnik/internal/content"
	"vestnik/internal/words"
)

// language is a language that the console speaks, by its BCP 47 tag.
type language string

const (
	english language = "en"
	russian language = "ru"
	// languageCookie keeps what was chosen with the switch, for a year.
	languageCookie = "vestnik_language"
)

var offered = languages.NewMatcher([]languages.Tag{languages.English, languages.Russian})

// languageOf is what was chosen with the switch, else what the browser asks for.
func languageOf(r *http.Request) language {
	chosen := ""
	if cookie, err := r.Cookie(languageCookie); err == nil {
		chosen = cookie.Value
	}
	tag, _ := languages.MatchStrings(offered, chosen, r.Header.Get("Accept-Language"))
	if base, _ := tag.Base(); base.String() == string(russian) {
		return russian
	}
	return english
}

// Other is the language to switch to.
func (l language) Other() language {
	if l == russian {
		return english
	}
	return russian
}

// Name is what the language calls itself.
func (l language) Name() string {
	if l == russian {
		return "Русский"
	}
	return "English"
}

// catalogue holds every message of the console in English and in Russian. Forms
// for a number are divided by bars: two in English, three in Russian. %s and the
// like stand for arguments.
var catalogue = func() map[string][2]string {
	messages := map[string][2]string{}
	content, _ := files.ReadFile("messages.json")
	_ = json.Unmarshal(content, &messages) // embedded: a broken one fails its test
	return messages
}()

func (l language) find(key string) (text string, ok bool) {
	both, ok := catalogue[key]
	if l == russian {
		return both[1], ok
	}
	return both[0], ok
}

// say is a message with its arguments.
func (l language) say(key string, args ...any) string {
	text, ok := l.find(key)
	if !ok {
		return key
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// count is a number with its noun.
func (l language) count(key string, n int) string {
	text, _ := l.find(key)
	forms := strings.Split(text, "|")
	if l == russian && len(forms) == 3 {
		return words.Russian(n, forms[0], forms[1], forms[2])
	}
	return words.Count(n, forms[0], forms[len(forms)-1])
}

// tenths is a number with one decimal place, as the language writes it.
func (l language) tenths(n float64) string {
	text := strconv.FormatFloat(n, 'f', 1, 64)
	if l == russian {
		return strings.ReplaceAll(text, ".", ",")
	}
	return text
}

// day is a date as people of the language write it.
func (l language) day(at time.Time) string {
	if l == russian {
		return at.Format("02.01.2006")
	}
	return at.Format(time.DateOnly)
}

// name is the word for a value of some kind; a value without any is its own.
func (l language) name(kind string, value any) string {
	if text, ok := l.find(kind + "." + fmt.Sprint(value)); ok {
		return text
	}
	return fmt.Sprint(value)
}

// points names what a piece of evidence speaks for: a type or an animal.
func (l language) points(value string) string {
	for _, kind := range []string{"type", "animal"} {
		if text, ok := l.find(kind + "." + value); ok {
			return text
		}
	}
	return value
}

// decided names an action of the audit, whose first words say which it is.
func (l language) decided(action string) string {
	if text, ok := l.phrase("decided", action); ok {
		return text
	}
	verb, about, _ := strings.Cut(action, " ")
	switch about = strings.Trim(about, "[]"); {
	case about == "":
		return l.name("decided", verb)
	case verb == "type":
		about = l.name("type", about)
	}
	return l.name("decided", verb) + ": " + about
}

// number is what a message leaves open of what the ledger keeps in English.
var number = regexp.MustCompile(`\d+(\.\d+)?`)

// phrase is a message about a kept text, whose numbers stand for %s.
func (l language) phrase(kind, kept string) (text string, ok bool) {
	text, ok = l.find(kind + "." + number.ReplaceAllString(strings.ReplaceAll(kept, "%", "%%"), "%s"))
	var numbers []any
	for _, found := range number.FindAllString(kept, -1) {
		numbers = append(numbers, found)
	}
	if ok && len(numbers) > 0 {
		text = fmt.Sprintf(text, numbers...)
	}
	return text, ok
}

// reason names a reason: a slug of a catalogue or what the ledger keeps in English,
// clause by clause, in the reader's words; anything else as it is.
func (l language) reason(reason string) string {
	if group, ok := adviceOf(reason); ok {
		return l.say("advice." + group)
	}
	if text, ok := l.phrase("reason", reason); ok {
		return text
	}
	for _, between := range []string{": ", ", "} {
		first, rest, _ := strings.Cut(reason, between)
		if text, ok := l.phrase("reason", first); ok {
			return text + between + l.reason(rest)
		}
	}
	return reason
}

// knownReason reports whether reason has words of the reader's for it.
func (l language) knownReason(reason string) bool { return reason == "" || l.reason(reason) != reason }

// why is a reason of the guide's content in the reader's language; what older
// builds have kept is as it was.
func (l language) why(why content.Why) string {
	message, inFile := strings.CutPrefix(why.Message, content.InFile)
	text, ok := l.find("why." + message)
	if !ok {
		return why.Reason
	}
	if inFile {
		text = content.InFile + text
	}
	args := make([]any, len(why.Args))
	for i, arg := range why.Args {
		args[i] = arg
	}
	return fmt.Sprintf(text, args...)
}

// listName is what people call a list of the guide's.
func (l language) listName(list content.List) string { return l.name("guide.list", list) }

// field is what people call a field of the guide's objects.
func (l language) field(name string) string { return l.name("guide.field", name) }

// langOf is the language of what a person or a program wrote.
func langOf(text string) language {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
		return russian
	}
	return english
}

// agoOrIn says how long ago something was, or how soon it will be.
func (l language) agoOrIn(past time.Duration) string {
	switch {
	case past > -time.Second && past < time.Second:
		return l.say("time.now")
	case past < 0:
		return l.say("time.in", l.roughly(-past))
	}
	return l.say("time.ago", l.roughly(past))
}

// roughly is a length of time in at most two units.
func (l language) roughly(length time.Duration) string {
	if length < time.Second {
		return fmt.Sprintf("%d %s", length.Milliseconds(), l.say("time.ms"))
	}
	units := []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, unit := range units {
		if length < unit.size {
			continue
		}
		text := fmt.Sprintf("%d %s", length/unit.size, l.say("time."+unit.name))
		if i+1 < len(units) && length < 10*unit.size {
			if rest := length % unit.size / units[i+1].size; rest > 0 {
				text += fmt.Sprintf(" %d %s", rest, l.say("time."+units[i+1].name))
			}
		}
		return text
	}
	return ""
}

// timeWords are the words that the script writes times with, as JSON.
func (l language) timeWords() (string, error) {
	told := map[string]string{}
	for _, key := range []string{"now", "ago", "in", "d", "h", "min", "s"} {
		told[key] = l.say("time." + key)
	}
	content, err := json.Marshal(told)
	return string(content), err
}

// chooseLanguage is the switch. It needs no login: the login form has it too.
func (c *console) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxOpsBody)
	if r.ParseForm() != nil || !slices.Contains([]string{string(english), string(russian)}, r.PostForm.Get("language")) {
		http.Error(w, "language: want en or ru", http.StatusBadRequest)
		return
	}
	http.SetCookie(w, c.cookie(r, languageCookie, r.PostForm.Get("language"), c.Now().AddDate(1, 0, 0)))
	http.Redirect(w, r, safeNext(r.PostForm.Get("back")), http.StatusSeeOther)
}
