package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/words"
	"vestnik/starter"
)

// maxToast is what Telegram shows of an answer to a press, less «Не сделано: ».
const maxToast = 200 - 12

func TestEveryFailureOfADecisionIsToldInRussianWithItsRemedy(t *testing.T) {
	t.Parallel()
	all := map[string]error{
		"unknown":        words.NewUnknown("destination", "telegram:-5", []string{"telegram:-51"}, "`vestnik destination list` shows them all"),
		"not found":      fmt.Errorf("delivery 9: %w", db.ErrNotFound),
		"wall":           &starter.NotReadError{Wall: "lostpets", Reason: "wall_closed"},
		"database":       fmt.Errorf("take back: %w", &pgconn.PgError{Message: "relation does not exist"}),
		"Temporal":       serviceerror.NewInternal("shard is gone"),
		"Temporal away":  serviceerror.NewUnavailable("connection refused"),
		"out of time":    fmt.Errorf("start a scan: %w", context.DeadlineExceeded),
		"of our own":     errors.New("something that nobody has thought of"),
		"of the console": refuse("note.missing"),
	}
	for failure, key := range failures {
		all[key] = fmt.Errorf("delivery 9: %w", failure)
	}
	for kind, key := range refusals {
		all[key] = fmt.Errorf("delivery 9: %w", temporal.NewApplicationError("the delivery says no", kind))
	}
	told := map[string]bool{}
	for name, failure := range all {
		text := FailureInRussian(failure)
		require.Regexp(t, `[а-я]`, text, name)
		require.NotRegexp(t, `[a-z]{3,} [a-z]{2,}`, regexp.MustCompile("`[^`]*`").ReplaceAllString(text, ""), name)
		require.LessOrEqual(t, utf8.RuneCountInString(text), maxToast, name)
		require.NotRegexp(t, `[а-я]`, tell(english, failure), name)
		told[text] = true
	}
	require.GreaterOrEqual(t, len(told), len(all)-1, "each its own words; both kinds of silence are one")
}

// slugs are the reasons that a file of a catalogue names.
func slugs(t *testing.T, file, pattern string) (found []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, slug := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1) {
		found = append(found, slug[1])
	}
	require.NotEmpty(t, found)
	return found
}

func TestEveryReasonIsToldInRussian(t *testing.T) {
	t.Parallel()
	kept := []string{
		"paused by an operator", "skipped by an operator", "marked as sent by an operator: видела в чате", "the author has deleted the post",
		"its type was set by hand: no rule sends it here", "case 3 is closed: the animal is home again", "case 3 is told by delivery 17, wall-1_2",
		"case 3 waits to be approved as delivery 17, wall-1_2", "2 attempts of unknown outcome", "as wall-1_2: both go back to wall-3_4",
		"as wall-1_2: 71 % of the text is the same", "as wall-1_2: same phone and photo, cat, name, place, breed, colour, wording",
		"as wall-1_2: no shared phone, but dog, name, place", "joined by an operator", "split by an operator", "phone, place, reward, sighting",
	}
	kept = append(kept, slugs(t, "../../internal/vk/catalogue.go", `"([a-z]+_[a-z_]+|captcha|upload)"`)...)
	kept = append(kept, slugs(t, "../../internal/telegram/error.go", `Class = "([a-z_]+)"`)...)
	kept = append(kept, slugs(t, "../../internal/protocol/delivery.go", `Reason[A-Z]\w+\s+= "([a-z_]+)"`)...)
	kept = append(kept, slugs(t, "../../internal/protocol/problem.go", `Reason[A-Z]\w+\s+= "([a-z_]+)"`)...)
	for _, reason := range slices.Compact(slices.Sorted(slices.Values(kept))) {
		if slices.Contains([]string{"link_photo_sizing_rule", "publish_date"}, reason) {
			continue // what VK says, and no reason
		}
		told := regexp.MustCompile("`[^`]*`|wall-\\d+_\\d+").ReplaceAllString(russian.reason(reason), "")
		require.Regexp(t, `[а-я]`, told, reason)
		require.NotRegexp(t, `[a-z]{2,}[ _][a-z]{2,}|\b[a-z]{3,}(,|$)`, told, reason)
		require.NotContains(t, told, "%!", reason)
		require.Regexp(t, `[а-я]`, ReasonInRussian(reason), reason)
	}
	require.Equal(t, "как wall-1_2: тот же телефон, кошка, кличка", russian.reason("as wall-1_2: same phone, cat, name"))
	require.Equal(t, "as wall-1_2: same phone, cat, name", english.reason("as wall-1_2: same phone, cat, name"))
	require.Equal(t, "координатор решил не отправлять: видела, дома", russian.reason("skipped by an operator: видела, дома"))
}

func TestEveryDecisionOfTheAuditIsToldInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{
		"retry": "отправить ещё раз", "skip 120": "не отправлять: 120", "type lost": "тип: пропал", "join [2 3]": "объединить: 2 3",
		"split [wall-1_2]": "разделить: wall-1_2", "duplicate of case 3": "это уже было: животное 3", "take back": "отозвать",
		"rate 0.5 a second, 20 a minute": "темп: 0.5 в секунду, 20 в минуту",
	} {
		require.Equal(t, want, russian.decided(action))
	}
	require.Equal(t, "type: lost", english.decided("type lost"))
}
