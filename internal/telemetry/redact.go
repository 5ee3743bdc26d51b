package telemetry

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"vestnik/internal/config"
)

// shortestSecret is the length from which a secret is masked in logs: a
// shorter one stands inside ordinary words and would only garble the lines.
const shortestSecret = 6

// tokenShaped finds what nobody registered: a bot token somebody presented
// (digits, colon, 30 and more characters; Bot API, "Authorizing your bot") and
// VK's access_token in a URL.
var tokenShaped = regexp.MustCompile(`\d{6,}(?::|%3A)[A-Za-z0-9_-]{30,}|access_token=[^&\s"']+`)

// registered holds every form of every secret, longest first, in a replacer.
var (
	registering sync.Mutex
	forms       []string
	registered  atomic.Pointer[strings.Replacer]
)

// Redact makes the secrets unprintable for every logger of the process and
// for [clean], in the forms that JSON and URLs give them too. It may be called
// at any time; shorter secrets than six characters are passed over.
func Redact(secrets ...config.Secret) {
	registering.Lock()
	defer registering.Unlock()
	for _, secret := range secrets {
		value := secret.Reveal()
		if len(value) < shortestSecret {
			continue
		}
		inJSON, err := json.Marshal(value)
		if err == nil {
			forms = append(forms, strings.Trim(string(inJSON), `"`))
		}
		forms = append(forms, value, strings.Trim(strconv.Quote(value), `"`), url.QueryEscape(value), url.PathEscape(value), url.UserPassword("", value).String()[1:])
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, config.Mask)
	}
	registered.Store(strings.NewReplacer(pairs...))
}

// clean is text without registered secrets and without what looks like a
// token.
func clean(text string) string {
	if replacer := registered.Load(); replacer != nil {
		text = replacer.Replace(text)
	}
	return tokenShaped.ReplaceAllString(text, config.Mask)
}

// redacting cleans whole lines, so that no attribute, group, error or message
// gets past it. Loggers write one line at a time.
type redacting struct{ output io.Writer }

func (r redacting) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.output, clean(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
