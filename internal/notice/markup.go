package notice

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseMarkup turns VK's markup in raw text into links and leaves everything
// else as it is:
//
//	[id1|Имя] [club1|…] [public1|…] [event1|…]   a person, a community, an event
//	[screen_name|…]                              a short address
//	[https://vk.com/x|…] [vk.com/x|…]            any address on VK, with or without a scheme
//	[#alias|label|url]                           VK's labelled link; the url may lead anywhere
//	@id1 (Имя) *club1 (Имя) @id1                 mentions VK has left unresolved
//	#тег@group                                   a hashtag inside one community
//
// Brackets that are none of these stay brackets.
func ParseMarkup(raw string) Text {
	var text Text
	plainFrom, at := 0, 0
	for at < len(raw) {
		span, length := markupAt(raw, at)
		if length == 0 {
			at++
			continue
		}
		text = text.add(Span{Text: raw[plainFrom:at]}, span)
		at += length
		plainFrom = at
	}
	return text.add(Span{Text: raw[plainFrom:]})
}

// markupAt reads the markup that starts at a byte of the text and returns how
// many bytes it takes, 0 if there is none.
func markupAt(raw string, at int) (Span, int) {
	rest := raw[at:]
	switch rest[0] {
	case '[':
		return bracketLink(rest)
	case '@', '*':
		if startsWord(raw, at) {
			return mention(rest)
		}
	case '#':
		if startsWord(raw, at) {
			return communityHashtag(rest)
		}
	}
	return Span{}, 0
}

// startsWord reports that no letter or digit stands right before, so that
// "mail@id1" or "а#б" are not taken for markup.
func startsWord(raw string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(raw[:at])
	return at == 0 || !(unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' || before == '/')
}

// bracketLink reads [target|label] and [#alias|label|url].
func bracketLink(rest string) (Span, int) {
	end := strings.IndexAny(rest[1:], "[]\n")
	if end < 0 || rest[1+end] != ']' {
		return Span{}, 0
	}
	target, label, found := strings.Cut(rest[1:1+end], "|")
	if !found {
		return Span{}, 0
	}
	var link string
	if strings.HasPrefix(target, "#") {
		var address string
		label, address, _ = cutLast(label, "|")
		link = webURL(address)
	} else {
		link = targetURL(target)
	}
	if link == "" || !isVisible(label) {
		return Span{}, 0
	}
	return Span{Text: label, Link: link}, 1 + end + 1
}

func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

var (
	// VK's own numbered pages; ":bp-1_2" follows in answers to comments.
	numberedPage = regexp.MustCompile(`^((?:id|club|public|event|group|app)\d+)(?::bp-?\d+_\d+)?$`)
	// wall-1_2, topic-1_2, photo1_2, video-1_2 …
	vkObject = regexp.MustCompile(`^[a-z]{2,16}-?\d+(?:_-?\d+){1,2}$`)
	// A short address: VK gives out five characters and more, older ones have three.
	screenName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]{2,31}$`)
)

// targetURL is where the left side of a two-part bracket leads, "" if it is no VK address.
func targetURL(target string) string {
	target = strings.TrimLeft(strings.TrimSpace(target), "@*")
	if page := numberedPage.FindStringSubmatch(target); page != nil {
		return "https://vk.com/" + page[1]
	}
	if vkObject.MatchString(target) {
		return "https://vk.com/" + target
	}
	if link := webURL(target); link != "" && isVKHost(link) {
		return link
	}
	if screenName.MatchString(target) {
		return "https://vk.com/" + target
	}
	return ""
}

var vkHosts = map[string]bool{
	"vk.com": true, "vk.ru": true, "vk.cc": true, "vk.me": true,
	"vkontakte.ru": true, "vkvideo.ru": true,
}

func isVKHost(link string) bool {
	address, err := url.Parse(link)
	if err != nil {
		return false
	}
	host := strings.ToLower(address.Hostname())
	host = strings.TrimPrefix(strings.TrimPrefix(host, "www."), "m.")
	return vkHosts[host]
}

var hasDomain = regexp.MustCompile(`^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}$`)

// maxURL bounds a link in bytes; longer ones are tracking baggage that
// Telegram would not accept among 10,000 bytes of entities.
const maxURL = 2000

// webURL is the http(s) form of an address, with https added where there is
// no scheme; "" if it is not an address that a reader could open.
func webURL(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || len(address) > maxURL || strings.ContainsFunc(address, notInURL) {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || !hasDomain.MatchString(parsed.Hostname()) || parsed.User != nil {
		return ""
	}
	link := parsed.String()
	if len(link) > maxURL {
		return ""
	}
	return link
}

func notInURL(r rune) bool {
	return isBlank(r) || unicode.Is(unicode.C, r) || strings.ContainsRune("<>\"`\\^{}|", r) || r == utf8.RuneError
}

var mentionForm = regexp.MustCompile(`^[@*]((?:id|club|public|event)\d+)(?: ?\(([^()\n]+)\))?`)

// mention reads "@id1 (Имя)", "*club1 (Имя)" and a bare "@id1". VK resolves
// short addresses itself before it stores a post, so an @name that is still
// there usually belongs to another network and stays as written.
func mention(rest string) (Span, int) {
	found := mentionForm.FindStringSubmatch(rest)
	if found == nil {
		return Span{}, 0
	}
	whole, page, name := found[0], found[1], found[2]
	if !isVisible(name) {
		whole = rest[:1+len(page)]
		name = whole
		next, _ := utf8.DecodeRuneInString(rest[len(whole):])
		if rest[0] == '*' || unicode.IsLetter(next) || next == '_' {
			return Span{}, 0
		}
	}
	return Span{Text: name, Link: "https://vk.com/" + page}, len(whole)
}

var (
	hashtagForm = regexp.MustCompile(`^#([\p{L}\p{N}_]+)@([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)`)
	latinTag    = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
	clubNumber  = regexp.MustCompile(`^(?:club|public|event)(\d+)$`)
)

// communityHashtag reads #tag@group. Telegram would take it for a hashtag of
// a chat of its own, so it becomes a link. VK opens latin tags at
// /group/tag; others are searched for on the wall, whose number only club1
// tells, else in the feed.
func communityHashtag(rest string) (Span, int) {
	found := hashtagForm.FindStringSubmatch(rest)
	if found == nil {
		return Span{}, 0
	}
	whole, tag, group := found[0], found[1], found[2]
	link := "https://vk.com/feed?q=" + url.QueryEscape("#"+tag+"@"+group) + "&section=search"
	if latinTag.MatchString(tag) {
		link = "https://vk.com/" + group + "/" + tag
	} else if club := clubNumber.FindStringSubmatch(group); club != nil {
		link = "https://vk.com/wall-" + club[1] + "?q=" + url.QueryEscape("#"+tag)
	}
	return Span{Text: whole, Link: link}, len(whole)
}
