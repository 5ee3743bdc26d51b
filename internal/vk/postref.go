package vk

import (
	"fmt"
	"regexp"
	"strconv"
)

// postPath is how VK's addresses name a post, alone or within a longer address.
var postPath = regexp.MustCompile(`(?:^|\bwall)(-?\d+)_(\d+)\b`)

// ParsePostRef reads the name of a post: "wall-123_45", "-123_45", or any
// address of VK's that holds the former.
func ParsePostRef(text string) (PostID, error) {
	match := postPath.FindStringSubmatch(text)
	if match == nil {
		return PostID{}, fmt.Errorf("vk: %q names no post; write wall-123_45 or the post's address", text)
	}
	owner, ownerErr := strconv.ParseInt(match[1], 10, 64)
	id, idErr := strconv.ParseInt(match[2], 10, 64)
	if ownerErr != nil || idErr != nil || owner == 0 || id == 0 {
		return PostID{}, fmt.Errorf("vk: %q names a post that can't exist", text)
	}
	return PostID{Owner: owner, ID: id}, nil
}
