package activities

import (
	"vestnik/internal/guide"
	"vestnik/internal/telegram"
)

// outboundCode is the specification's error_code for a call that failed. Whatever the network did is a timeout, as the
// specification has no other word for it; an album item counts by what was wrong with it.
func outboundCode(refused *telegram.Error) guide.Code {
	class := refused.Class
	if class == telegram.MediaItem {
		class = telegram.MediaUnsupported
		if refused.ItemClass != "" {
			class = refused.ItemClass
		}
	}
	switch class {
	case telegram.RateLimited:
		return guide.OutboundRateLimit
	case telegram.Unavailable:
		return guide.Outbound5XX
	case telegram.Unreachable, telegram.OutcomeUnknown:
		return guide.OutboundTimeout
	case telegram.MediaInvalidURL:
		return guide.OutboundMediaInvalidURL
	case telegram.MediaFetchFailed:
		return guide.OutboundMediaFetchFailed
	case telegram.MediaUnsupported:
		return guide.OutboundMediaUnsupported
	case telegram.Internal, "":
		return guide.InternalUnexpected
	}
	return guide.OutboundBadRequest
}
