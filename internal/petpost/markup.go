package petpost

import "regexp"

// mention is VK's "[id1|Анна]", "[club1|Приют]", "[https://…|text]", "[#alias|text|url]",
// "@id1", "@id1 (Анна)" and "*id1 (Анна)".
var mention = regexp.MustCompile(`^(?:\[((?:[!-Z\\^-{}~]|#[^\s\[|]*)+)\|([^\]|]{0,300})[^\]]{0,100}\]|@([A-Za-z][\w.]+)(?: ?\(([^)]{0,120})\))?|\*([A-Za-z][\w.]+) ?\(([^)]{0,120})\))`)

// mentionParts returns the target and the label of a mention.
func mentionParts(raw string) (target, label string) {
	m := mention.FindStringSubmatch(raw)
	return m[1] + m[3] + m[5], m[2] + m[4] + m[6]
}

// link is one with or without a scheme, or an e-mail address.
var link = regexp.MustCompile(`^(?:[a-z]+://|[\w.-]+@[\w-]+\.|[\w.-]*[A-Za-z][\w.-]*\.[A-Za-z]{2,6}(?:[^\w.-]|\.?$|\.[^\w]))`)

// linkTail is what goes on with a link to its end.
var linkTail = regexp.MustCompile(`^[!#-;=?-\[\\^-{}~\x{400}-\x{4FF}]*[#$%&*+/0-9=@A-Z\\^_a-z~\x{400}-\x{4FF}-]`)

// linkLength measures the link at the head of s, 0 if there is none.
func linkLength(s string) int {
	if !link.MatchString(s) {
		return 0
	}
	return len(linkTail.FindString(s))
}

// account is the address of a VK profile or group, without the pages of posts,
// pictures and the like.
var (
	account   = regexp.MustCompile(`^(?:(?:https?://)?(?:www\.|m\.)?(?:vk\.com|vk\.ru|vkontakte\.ru)/([A-Za-z_][\w.]+)|([A-Za-z_]\w+))$`)
	noAccount = regexp.MustCompile(`^(?:wall|photo|video|album|club|public|event|topic|market|feed|search|im|away\.php|doc|clip|app|story|poll|article|write|donut)(?:[-.\d].*)?$`)
)

// screenName returns the account that a mention or a VK link points to, ""
// for posts, pictures, groups and other sites.
func screenName(target string) string {
	m := account.FindStringSubmatch(target)
	if m == nil || noAccount.MatchString(m[1]+m[2]) {
		return ""
	}
	return m[1] + m[2]
}

// hashtag is one with the "@group" that VK puts after it.
var hashtag = regexp.MustCompile(`^#[\p{L}\d_@\x{AD}\x{300}\x{301}\x{306}\x{308}\x{200B}-\x{200F}\x{2060}\x{FE0F}\x{20E3}]+`)

// spelled is a word letter by letter: "П р о п а л", "п-р-о-п-а-л", "п🐾р🐾о🐾п🐾а🐾л".
var spelled = regexp.MustCompile(`^[А-Яа-яЁё](?:(?: [А-Яа-яЁё]){3,}|(?:-[А-Яа-яЁё]){3,}|(?:\p{So}[А-Яа-яЁё]){3,})(?:[^\p{L}]|$)`)
