package content

import (
	"fmt"
	"regexp"
)

// Why is why something is not taken, or may be a slip: in Russian, as editors read
// it, and as a message with its arguments, of which other languages have their own.
type Why struct {
	Reason  string   `json:"reason" description:"why it is refused and what would do, in Russian"`
	Message string   `json:"message,omitempty" description:"the reason with %s for its arguments; missing: as it is"`
	Args    []string `json:"args,omitempty" description:"the arguments of the message"`
}

var verb = regexp.MustCompile(`%[a-z]`)

// Because makes a reason of a message and its arguments; every message is in the
// console's catalogue.
func Because(message string, args ...any) Why {
	why := Why{Reason: message, Message: verb.ReplaceAllString(message, "%s")}
	if len(args) == 0 {
		return why
	}
	why.Reason = fmt.Sprintf(message, args...)
	for i, form := range verb.FindAllString(message, -1) {
		why.Args = append(why.Args, fmt.Sprintf(form, args[i]))
	}
	return why
}

// InFile begins a message about a file, whose name is the first argument.
const InFile = "«%s»: "

func (w Why) within(name string) Why {
	w.Reason, w.Message, w.Args = fmt.Sprintf(InFile, name)+w.Reason, InFile+w.Message, append([]string{name}, w.Args...)
	return w
}
