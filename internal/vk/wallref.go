package vk

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// WallRef names a wall as people write it. Either OwnerID is set, or ScreenName is and has to be resolved.
type WallRef struct {
	OwnerID    int64  // negative for communities
	ScreenName string // without @, lower-cased
}

var (
	vkHost     = regexp.MustCompile(`(?i)^(?:https?://)?(?:[a-z0-9-]+\.)?(?:vk\.com|vk\.ru|vkontakte\.ru)/`)
	wallPath   = regexp.MustCompile(`^wall(-?\d+)(?:_\d+)?$`)
	ownerPath  = regexp.MustCompile(`^(id|club|public|event)(\d+)$`)
	screenName = regexp.MustCompile(`^[a-z][a-z0-9_.]{1,63}$`)
)

// ParseWallRef reads an owner id ("-123"), "club123", "public123", "event123", "id123", "wall-123", a screen name
// with or without @, or a link to any of them on vk.com or vk.ru. It asks nobody.
func ParseWallRef(text string) (WallRef, error) {
	name := vkHost.ReplaceAllString(strings.TrimSpace(text), "")
	name, _, _ = strings.Cut(name, "?")
	name, _, _ = strings.Cut(name, "#")
	name = strings.ToLower(strings.TrimPrefix(strings.TrimRight(name, "/"), "@"))

	if match := wallPath.FindStringSubmatch(name); match != nil {
		name = match[1]
	}
	if match := ownerPath.FindStringSubmatch(name); match != nil {
		name = match[2]
		if match[1] != "id" {
			name = "-" + name
		}
	}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil && id != 0 {
		return WallRef{OwnerID: id}, nil
	}
	if screenName.MatchString(name) {
		return WallRef{ScreenName: name}, nil
	}
	return WallRef{}, fmt.Errorf("vk: %q names no wall; write a screen name, a link to the community, club123, id123, "+
		"or its owner id (negative for a community)", text)
}
