package notice

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	// notCalls are the at signs that call nobody on either platform: of a mail
	// address and of a hashtag of a community.
	notCalls = regexp.MustCompile(`[A-Za-z0-9]@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}|(?:^|[^\p{L}\p{N}_])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*@`)
	// reference is a character written as HTML does; VK has always decoded them.
	reference = regexp.MustCompile(`&(?:#[xX]?[0-9a-fA-F]+;?|[A-Za-z]+;)`)
)

// disarm is the last pass over a text before it is cut and rendered: whatever
// the author, the operator or an attachment wrote, nobody is called by it. An
// @name gets a blank behind the sign ("@ name"); on a wall, so does *name, and
// a bar inside square brackets becomes a slash, for [name|words] is a mention
// too. In web addresses the signs are percent-encoded. The signs and names
// are recognised through full-width forms and invisible characters, because a
// platform may fold or drop those; so what disarms them can be seen.
func disarm(text Text, wall bool) Text {
	whole := text.String()
	if !strings.ContainsFunc(whole, func(r rune) bool { return strings.ContainsRune("@*|&", folded(r)) }) {
		return text
	}
	harmless := map[int]bool{}
	for _, found := range notCalls.FindAllStringIndex(whole, -1) {
		harmless[found[0]+strings.IndexByte(whole[found[0]:found[1]], '@')] = true
	}
	addresses := webAddress.FindAllStringIndex(whole, -1)
	var edits []edit
	inBrackets := false
	for at, r := range whole {
		for len(addresses) > 0 && addresses[0][1] <= at {
			addresses = addresses[1:]
		}
		inAddress := len(addresses) > 0 && addresses[0][0] <= at
		next := at + utf8.RuneLen(r)
		switch sign := folded(r); {
		case sign == '[':
			inBrackets = true
		case r == ']' || r == '\n': // a full-width one closes nothing for who doesn't fold it
			inBrackets = false
		case sign == '@' && harmless[at] && !inAddress, sign != '@' && !wall:
		case strings.ContainsRune("@*", sign) && inAddress, sign == '|' && inBrackets && inAddress:
			edits = append(edits, edit{at, next, url.QueryEscape(whole[at:next])})
		case sign == '|' && inBrackets:
			edits = append(edits, edit{at, next, "/"})
		case sign == '@' || sign == '*':
			if afterMarks, named := nameBehind(whole, next, sign); named {
				edits = append(edits, edit{afterMarks, afterMarks, " "})
			}
		case sign == '&' && meansSign(reference.FindString(whole[at:])):
			edits = append(edits, edit{next, next, " "})
		}
	}
	return text.edited(edits)
}

// meansSign reports whether HTML decodes a reference into a sign that calls.
func meansSign(reference string) bool {
	meant, size := utf8.DecodeRuneInString(html.UnescapeString(reference))
	return size > 0 && strings.ContainsRune("[|@*", folded(meant))
}

// folded is the sign that a character may be taken for: itself, or what its
// full-width or other compatible form stands for.
func folded(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	first, _ := utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
	return first
}

// nameBehind reports whether a name that could be called begins at a byte
// of the text, and where the marks end that belong to the sign before it.
func nameBehind(whole string, from int, sign rune) (afterMarks int, named bool) {
	afterMarks = from
	for at, r := range whole[from:] {
		letter := folded(r)
		switch {
		case unicode.Is(unicode.M, r):
			if from+at == afterMarks {
				afterMarks += utf8.RuneLen(r)
			}
		case !unicode.IsSpace(r) && !isVisibleRune(r):
		case letter == '&':
			return afterMarks, reference.MatchString(whole[from+at:])
		case letter == '_' || letter < utf8.RuneSelf && unicode.IsLetter(letter):
			return afterMarks, true
		case sign == '*' && letter >= '0' && letter <= '9':
			// 60*40 is a size; no address consists of digits alone.
		default:
			return afterMarks, sign == '@' && (unicode.IsLetter(letter) || unicode.IsNumber(letter))
		}
	}
	return afterMarks, false
}

// edit puts a text in the place of some bytes.
type edit struct {
	from, to int
	text     string
}

// edited applies edits, which come in order, each within one span. What is put
// in between two spans takes the style of neither.
func (t Text) edited(edits []edit) Text {
	var done Text
	at := 0
	for _, span := range t {
		end := at + len(span.Text)
		for len(edits) > 0 && edits[0].from < end {
			e := edits[0]
			edits = edits[1:]
			put := span
			put.Text = e.text
			if e.to == at { // between two spans
				put = Span{Text: e.text}
			}
			before := span
			before.Text, span.Text = span.Text[:e.from-at], span.Text[e.to-at:]
			done = done.add(before, put)
			at = e.to
		}
		done = done.add(span)
		at = end
	}
	for _, e := range edits {
		done = done.add(Span{Text: e.text})
	}
	return done
}

// domainName is anything that reads as the name of a site.
var domainName = regexp.MustCompile(`[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}`)

// maxShownAddress bounds the address behind a label, in letters.
const maxShownAddress = 60

// showingTargets is the text with the address behind every link whose words
// look like another one.
func (t Text) showingTargets() Text {
	var shown Text
	for _, span := range t {
		if misleads(span.Text, span.Link) {
			span.Text += " (" + shorten(bareAddress(span.Link), maxShownAddress) + ")"
		}
		shown = shown.add(span)
	}
	return shown
}

// misleads reports whether a link's words name an address that it does not lead to.
func misleads(label, link string) bool {
	address, err := url.Parse(link)
	if link == "" || err != nil || showsAddress(label, link) || hashtagForm.FindString(label) == label {
		return false
	}
	label = norm.NFKC.String(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || isVisibleRune(r) {
			return r
		}
		return -1
	}, label))
	names := []*regexp.Regexp{webAddress, domainName}
	if isVKHost(link) {
		names[1] = bareDomain // VK's documents are called scan.pdf
	}
	host := bareAddress("https://" + address.Host)
	for _, name := range names {
		for _, named := range name.FindAllString(label, -1) {
			if named = bareAddress(named); named != host && named != bareAddress(link) {
				return true
			}
		}
	}
	return false
}

// bareAddress is an address as people compare them: without scheme, "www." and a slash at the end.
func bareAddress(address string) string {
	address = strings.ToLower(address)
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}
