package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/telegram"
)

func TestTheCodesOfFailedCallsAreThoseOfSection47(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		class telegram.Class
		code  guide.Code
		spec  string
	}{
		{telegram.RateLimited, "TG_OUTBOUND_429_RATE_LIMIT", "OUTBOUND_RATE_LIMIT"},
		{telegram.Unavailable, "TG_OUTBOUND_5XX", "OUTBOUND_TRANSPORT"},
		{telegram.Unreachable, "TG_OUTBOUND_TIMEOUT", "OUTBOUND_TRANSPORT"},
		{telegram.OutcomeUnknown, "TG_OUTBOUND_TIMEOUT", "OUTBOUND_TRANSPORT"},
		{telegram.BadRequest, "TG_OUTBOUND_4XX_BAD_REQUEST", "OUTBOUND_BAD_REQUEST"},
		{telegram.Forbidden, "TG_OUTBOUND_4XX_BAD_REQUEST", "OUTBOUND_BAD_REQUEST"},
		{telegram.MediaInvalidURL, "TG_OUTBOUND_MEDIA_INVALID_URL", "OUTBOUND_MEDIA"},
		{telegram.MediaFetchFailed, "TG_OUTBOUND_MEDIA_FETCH_FAILED", "OUTBOUND_MEDIA"},
		{telegram.MediaUnsupported, "TG_OUTBOUND_MEDIA_TOO_LARGE_OR_UNSUPPORTED", "OUTBOUND_MEDIA"},
		{telegram.MediaItem, "TG_OUTBOUND_MEDIA_TOO_LARGE_OR_UNSUPPORTED", "OUTBOUND_MEDIA"},
		{telegram.Internal, "INTERNAL_UNEXPECTED_ERROR", "INTERNAL_UNEXPECTED"},
		{"", "INTERNAL_UNEXPECTED_ERROR", "INTERNAL_UNEXPECTED"},
	} {
		code := outboundCode(&telegram.Error{Class: row.class})
		require.Equal(t, row.code, code)
		require.Equal(t, row.spec, code.Class())
	}
	require.Equal(t, guide.OutboundMediaFetchFailed, outboundCode(&telegram.Error{Class: telegram.MediaItem, ItemClass: telegram.MediaFetchFailed}))
}
