package activities

import (
	"errors"
	"slices"

	"vestnik/internal/notice"
	"vestnik/internal/vk"
)

// wallDraft is a wall post that VK may want lighter.
type wallDraft struct {
	vk.WallPost

	album    album
	refs     []string
	linkless bool
	refless  bool // without documents and polls
	unnamed  bool // the album is to be put together again, without naming photos
}

// word puts the words and the photos into the post.
func (d *wallDraft) word(words notice.VKPost) {
	d.Message, d.Attachments = words.Text, d.album.attachments
	if !d.refless {
		d.refs = words.Refs
		d.Attachments = slices.Concat(d.Attachments, d.refs)
	}
	if d.linkless {
		d.Message = words.Linkless
	}
}

// without is the draft without what VK has refused; false if it holds no such
// thing.
func (d wallDraft) without(err error) (lighter wallDraft, mended bool) {
	var failure *vk.Error
	if !errors.As(err, &failure) {
		return d, false
	}
	lighter = d
	lighter.Captcha = vk.CaptchaAnswer{} // good for one call
	switch action := failure.Action(); {
	case action == vk.DropCopyright && d.Copyright != "":
		lighter.Copyright = ""
	case action == vk.StripLinks && !d.linkless:
		lighter.linkless, lighter.Copyright = true, ""
	case action == vk.MediaFallback && len(d.refs) > 0 && !d.refless:
		lighter.refless, lighter.refs = true, nil
	case action == vk.MediaFallback && d.album.how == albumByName:
		lighter.unnamed = true
	case action == vk.MediaFallback && d.album.how == albumUploaded:
		lighter.album = withoutPhotos(d.album.wanted, failure.Reason())
	case action == vk.MediaFallback && d.Copyright != "": // VK takes it for a link without a picture
		lighter.Copyright = ""
	default:
		return d, false
	}
	return lighter, true
}

// dispensable reports whether an action is about a part that a post can do
// without.
func dispensable(action vk.Action) bool {
	switch action {
	case vk.MediaFallback, vk.StripLinks, vk.DropCopyright, vk.RestartUpload:
		return true
	}
	return false
}
