package photo

import (
	"fmt"
	"slices"
)

// Rules are what a platform accepts as a photo.
type Rules struct {
	// Name says whose rules these are, for errors.
	Name string
	// MaxBytes is the size of the file.
	MaxBytes int64
	// MaxSides bounds width plus height, in pixels.
	MaxSides int
	// MaxRatio bounds the longer side divided by the shorter.
	MaxRatio int
	// Formats are accepted.
	Formats []Format
	// Recode lists accepted formats that [Fit] turns into JPEG all the same,
	// because the platform is known to lose them.
	Recode []Format
}

// The platforms' rules.
var (
	// TelegramByURL is for a photo that Telegram fetches itself: 5 MB, and the
	// sides and the ratio of any photo (Bot API, "Sending files"; sendPhoto).
	TelegramByURL = Rules{
		Name: "Telegram (by URL)", MaxBytes: 5_000_000, MaxSides: 10_000, MaxRatio: 20,
		Formats: []Format{JPEG, PNG, GIF, WebP},
	}
	// TelegramUpload is for a photo uploaded with sendPhoto or sendMediaGroup:
	// 10 MB. Telegram goes by the file's extension and names .jpg, .jpeg, .gif,
	// .png, .tif and .bmp in its refusals; a GIF would become a still at best.
	TelegramUpload = Rules{
		Name: "Telegram", MaxBytes: 10_000_000, MaxSides: 10_000, MaxRatio: 20,
		Formats: []Format{JPEG, PNG},
	}
	// VKUpload is for photos.getWallUploadServer: JPG, PNG or GIF, 50 MB,
	// width plus height 14000, ratio 1:20 (VK, "Uploading files"). PNG was
	// seen to be dropped without an error, three times out of three.
	VKUpload = Rules{
		Name: "VK", MaxBytes: 50_000_000, MaxSides: 14_000, MaxRatio: 20,
		Formats: []Format{JPEG, PNG, GIF}, Recode: []Format{PNG},
	}
)

// Check reports whether a picture keeps the rules. The error is an [*Error] of
// kind [NotPicture], [BadDimensions] or [TooLarge].
func (r Rules) Check(p Picture) error {
	if err := r.checkRatio(p); err != nil {
		return err
	}
	switch {
	case !slices.Contains(r.Formats, p.Format):
		return &Error{Kind: NotPicture, Reason: fmt.Sprintf("%s takes no %s", r.Name, p.Format)}
	case p.Width+p.Height > r.MaxSides:
		return &Error{Kind: BadDimensions, Reason: fmt.Sprintf("%d×%d pixels; %s takes width + height up to %d", p.Width, p.Height, r.Name, r.MaxSides)}
	case int64(len(p.Bytes)) > r.MaxBytes:
		return &Error{Kind: TooLarge, Reason: fmt.Sprintf("%d bytes; %s takes %d", len(p.Bytes), r.Name, r.MaxBytes)}
	}
	return nil
}

// checkRatio is about the one fault that scaling can't mend.
func (r Rules) checkRatio(p Picture) error {
	short, long := min(p.Width, p.Height), max(p.Width, p.Height)
	if short <= 0 || long > r.MaxRatio*short {
		return &Error{Kind: BadDimensions, Reason: fmt.Sprintf("%d×%d pixels; %s takes sides up to 1:%d", p.Width, p.Height, r.Name, r.MaxRatio)}
	}
	return nil
}

func tooLarge(host string, limit int64) *Error {
	return &Error{Kind: TooLarge, Host: host, Reason: fmt.Sprintf("more than %d bytes", limit)}
}
