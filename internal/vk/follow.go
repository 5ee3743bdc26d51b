package vk

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"vestnik/internal/post"
)

// maxAround is how many letters may stand beside the address of a wall post that a post consists of: "Важный репост!"
const maxAround = 40

// wallAddress is an address that names a wall post: vk.com/wall-1_2, vk.com/club1?w=wall-1_2.
var wallAddress = regexp.MustCompile(`(?i)(?:https?://)?(?:[a-z0-9-]+\.)?(?:vk\.com|vk\.ru|vkontakte\.ru)/[^\s\]|]*?\bwall-?\d+_\d+[^\s\]|,;)]*`)

// linked is the one wall post that the post is hardly more than the address of.
func (p Post) linked() (id post.ID, is bool) {
	text := string(p.parts[0].Text)
	around := wallAddress.ReplaceAllString(text, "")
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, around)
	if len(p.Reposts) > 0 || len([]rune(letters)) > maxAround {
		return post.ID{}, false
	}
	addresses := wallAddress.FindAllString(text, -1)
	for _, attachment := range p.Attachments {
		if attachment.Kind == "link" && wallAddress.MatchString(attachment.URL) {
			addresses = append(addresses, attachment.URL)
		}
	}
	for _, address := range addresses {
		named, err := post.ParseID(address)
		if err != nil || is && named != id {
			return post.ID{}, false // a list of several: none is the post's own
		}
		id, is = named, true
	}
	return id, is && id != p.ID
}

// FollowLinks makes posts that are hardly more than the address of another wall post what they would be if they
// reposted it: its words, photos, place and origin come with them. read is wall.getById, and is called once at most.
// Posts that VK does not show, or that must not be reposted, stay addresses.
func FollowLinks(posts []Post, read func(...post.ID) ([]json.RawMessage, error)) error {
	wanted := map[post.ID][]int{}
	var ids []post.ID
	for i := range posts {
		id, is := posts[i].linked()
		if !is {
			continue
		}
		if wanted[id] == nil {
			ids = append(ids, id)
		}
		wanted[id] = append(wanted[id], i)
	}
	if len(ids) == 0 {
		return nil
	}
	items, err := read(ids[:min(len(ids), MaxByID)]...)
	if err != nil {
		return err
	}
	found, _ := Readable(items)
	for _, target := range found {
		for _, i := range wanted[target.ID] {
			posts[i].parts, posts[i].followed = slices.Concat(posts[i].parts, target.parts), true
			posts[i].show() // with the hash of its own: it was read once, and is not to look edited at the next reading
		}
	}
	return nil
}
