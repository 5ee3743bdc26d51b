package telegram

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// everyClass is the list the tables are held against.
var everyClass = []Class{
	RateLimited, Unavailable, Unreachable, OutcomeUnknown, Migrated, Unauthorized, Forbidden, ChatNotFound,
	ThreadNotFound, TopicClosed, MediaInvalidURL, MediaFetchFailed, MediaUnsupported, MediaItem, TooLong,
	CantParseEntities, MessageGone, CantBeDeleted, NotModified, QueryTooOld, NotAMember, BadRequest, Conflict, Internal,
}

func TestEveryAnswerOfTelegramHasItsClass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code int
		text string
		want Class
	}{
		// URLs
		{400, "Bad Request: invalid file HTTP URL specified: Unsupported URL protocol", MediaInvalidURL},
		{400, "Bad Request: invalid file HTTP URL specified: URL host is empty", MediaInvalidURL},
		{400, "Bad Request: invalid file HTTP URL specified: Wrong port number specified in the URL", MediaInvalidURL},
		{400, "Bad Request: wrong HTTP URL specified", MediaInvalidURL},
		{400, "Bad Request: wrong file identifier/HTTP URL specified", MediaInvalidURL},
		{400, "Bad Request: wrong remote file identifier specified: Wrong padding in the string", MediaInvalidURL},
		{400, "Bad Request: remote file identifier must be non-empty", MediaInvalidURL},
		{400, "Bad Request: URL must be in UTF-8", MediaInvalidURL},
		{400, "Bad Request: failed to get HTTP URL content", MediaFetchFailed},
		{400, "Bad Request: WEBPAGE_CURL_FAILED", MediaFetchFailed},
		{400, "Bad Request: can't upload file by URL", MediaFetchFailed},
		// content
		{400, "Bad Request: wrong type of the web page content", MediaUnsupported},
		{400, "Bad Request: WEBPAGE_MEDIA_EMPTY", MediaUnsupported},
		{400, "Bad Request: PHOTO_INVALID_DIMENSIONS", MediaUnsupported},
		{400, "Bad Request: PHOTO_SAVE_FILE_INVALID", MediaUnsupported},
		{400, "Bad Request: IMAGE_PROCESS_FAILED", MediaUnsupported},
		{400, "Bad Request: photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif, .bmp or .webp", MediaUnsupported},
		{400, "Bad Request: file is too big", MediaUnsupported},
		{400, "Bad Request: type of file mismatch", MediaUnsupported},
		{400, "Bad Request: file must be non-empty", MediaUnsupported},
		{413, "Request Entity Too Large", MediaUnsupported},
		{400, "Bad Request: group send failed", MediaUnsupported},
		{400, "Bad Request: too much messages to send as an album", MediaUnsupported},
		{400, "Bad Request: Can't use the media of the specified type in the album", MediaUnsupported},
		// one item of an album
		{400, `Bad Request: failed to send message #3 with the error message "WEBPAGE_MEDIA_EMPTY"`, MediaItem},
		{400, `Bad Request: failed to send message #1 with the error message "SOMETHING_NEW"`, MediaItem},
		{400, `Bad Request: failed to send message #1 with the error message "Too Many Requests: retry after 8"`, RateLimited},
		{400, `Bad Request: failed to send message #1 with the error message "CHAT_WRITE_FORBIDDEN"`, Forbidden},
		// rendering
		{400, "Bad Request: message is too long", TooLong},
		{400, "Bad Request: MESSAGE_TOO_LONG", TooLong},
		{400, "Bad Request: message caption is too long", TooLong},
		{400, "Bad Request: MEDIA_CAPTION_TOO_LONG", TooLong},
		{400, "Bad Request: Text is too long", TooLong},
		{400, "Bad Request: can't parse entities: Unsupported start tag \"div\" at byte offset 0", CantParseEntities},
		{400, "Bad Request: ENTITY_BOUNDS_INVALID", CantParseEntities},
		{400, "Bad Request: message text is empty", BadRequest},
		{400, "Bad Request: text must be non-empty", BadRequest},
		{400, "Bad Request: BUTTON_URL_INVALID", BadRequest},
		{400, "Bad Request: inline keyboard button URL 'x' is invalid: Wrong HTTP URL", BadRequest},
		{400, "Bad Request: BUTTON_DATA_INVALID", BadRequest},
		{400, "Bad Request: BUTTON_COPY_TEXT_INVALID", BadRequest},
		{400, "Bad Request: text buttons are unallowed in the inline keyboard", BadRequest},
		{400, "Bad Request: reply markup is too long", BadRequest},
		// chats and topics
		{400, "Bad Request: chat not found", ChatNotFound},
		{400, "Bad Request: private chat not found", ChatNotFound},
		{400, "Bad Request: PEER_ID_INVALID", ChatNotFound},
		{400, "Bad Request: chat_id is empty", ChatNotFound},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", Migrated},
		{400, "Bad Request: message thread not found", ThreadNotFound},
		{400, "Bad Request: TOPIC_CLOSED", TopicClosed},
		// callbacks and edits
		{400, "Bad Request: query is too old and response timeout expired or query ID is invalid", QueryTooOld},
		{400, "Bad Request: QUERY_ID_INVALID", QueryTooOld},
		{400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message", NotModified},
		{400, "Bad Request: message can't be edited", MessageGone},
		{400, "Bad Request: message can't be deleted for everyone", CantBeDeleted},
		{400, "Bad Request: message to delete not found", MessageGone},
		{400, "Bad Request: message to edit not found", MessageGone},
		{400, "Bad Request: there is no text in the message to edit", MessageGone},
		{400, "Bad Request: MESSAGE_ID_INVALID", MessageGone},
		// members
		{400, "Bad Request: USER_NOT_PARTICIPANT", NotAMember},
		{400, "Bad Request: member not found", NotAMember},
		{400, "Bad Request: user not found", NotAMember},
		{400, "Bad Request: PARTICIPANT_ID_INVALID", NotAMember},
		{400, "Bad Request: member list is inaccessible", Forbidden},
		// rights
		{400, "Bad Request: not enough rights to send photos to the chat", Forbidden},
		{400, "Bad Request: have no rights to send a message", Forbidden},
		{400, "Bad Request: need administrator rights in the channel chat", Forbidden},
		{400, "Bad Request: CHAT_WRITE_FORBIDDEN", Forbidden},
		{400, "Bad Request: CHAT_SEND_PHOTOS_FORBIDDEN", Forbidden},
		{400, "Bad Request: CHAT_ADMIN_REQUIRED", Forbidden},
		{403, "Forbidden: bot was blocked by the user", Forbidden},
		{403, "Forbidden: user is deactivated", Forbidden},
		{403, "Forbidden: bot can't initiate conversation with a user", Forbidden},
		{403, "Forbidden: bot is not a member of the channel chat", Forbidden},
		{403, "Forbidden: bot was kicked from the channel chat", Forbidden},
		{403, "Forbidden: bot was kicked from the supergroup chat", Forbidden},
		{403, "Forbidden: bot was kicked from the group chat", Forbidden},
		{403, "Forbidden: the group chat was deleted", Forbidden},
		{403, "Forbidden: not enough rights to send text messages to the chat", Forbidden},
		{403, "Forbidden: something new", Forbidden},
		// the token
		{401, "Unauthorized", Unauthorized},
		{401, "Unauthorized: invalid token specified", Unauthorized},
		{404, "Not Found", Unauthorized},
		{404, "Not Found: method not found", Internal},
		{400, "Logged out", Unauthorized},
		{409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", Conflict},
		{409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first", Conflict},
		// waiting
		{429, "Too Many Requests: retry after 35", RateLimited},
		{429, "", RateLimited},
		{500, "Internal Server Error: restart", Unavailable},
		{502, "Bad Gateway", Unavailable},
		{503, "", Unavailable},
		{504, "Gateway Timeout", Unavailable},
		// what nobody has seen yet
		{400, "Bad Request: the moon is in the wrong phase", BadRequest},
		{406, "Not Acceptable", BadRequest},
		{0, "", BadRequest},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{c.text, strings.ToLower(c.text), strings.ToUpper(c.text)} {
				got := classify(refusal{method: "sendMediaGroup", httpStatus: c.code, code: c.code, description: text})
				require.Equal(t, c.want, got.Class, text)
			}
		})
	}
}

func TestARefusalWithoutACodeIsJudgedByItsStatus(t *testing.T) {
	t.Parallel()
	require.Equal(t, Forbidden, classify(refusal{httpStatus: 403}).Class)
	require.Equal(t, Unavailable, classify(refusal{httpStatus: 500}).Class)
	require.Equal(t, BadRequest, classify(refusal{httpStatus: 200}).Class)
}

func TestTooLargeARequestMeansMediaOnlyWhereMediaIsSent(t *testing.T) {
	t.Parallel()
	require.Equal(t, MediaUnsupported, classify(refusal{method: "sendPhoto", code: 413}).Class)
	require.Equal(t, TooLong, classify(refusal{method: "sendMessage", code: 413}).Class)
}

func TestAnAlbumsErrorNamesTheItemAndWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	got := classify(refusal{code: 400, description: `Bad Request: failed to send message #3 with the error message "failed to get HTTP URL content"`})
	require.Equal(t, MediaItem, got.Class)
	require.Equal(t, 3, got.FailedItem)
	require.Equal(t, MediaFetchFailed, got.ItemClass)
	require.Contains(t, got.Error(), "item 3")
	require.Contains(t, got.Error(), "failed to get HTTP URL content")
}

func TestTheWaitingTimeIsFoundInParametersAndInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    refusal
		want time.Duration
	}{
		{refusal{code: 429, retryAfter: 5 * time.Second, description: "Too Many Requests: retry after 7"}, 5 * time.Second},
		{refusal{code: 429, description: "Too Many Requests: retry after 7"}, 7 * time.Second},
		{refusal{code: 400, description: `failed to send message #1 with the error message "Too Many Requests: retry after 8"`}, 8 * time.Second},
		{refusal{code: 400, description: "FLOOD_WAIT_9"}, 9 * time.Second},
		{refusal{code: 429}, 0},
	} {
		got := classify(c.r)
		require.Equal(t, RateLimited, got.Class)
		require.Equal(t, c.want, got.RetryAfter)
	}
}

func TestOnlyAPersonBlockingTheBotCountsAsBlocked(t *testing.T) {
	t.Parallel()
	require.True(t, classify(refusal{code: 403, description: "Forbidden: bot was blocked by the user"}).Blocked)
	require.True(t, classify(refusal{code: 403, description: "Forbidden: user is deactivated"}).Blocked)
	require.False(t, classify(refusal{code: 403, description: "Forbidden: bot was kicked from the group chat"}).Blocked)
	require.False(t, classify(refusal{code: 403, description: "bot was blocked by the user", foreign: true}).Blocked)
}

func TestAnErrorNeverRepeatsWhatAPersonWroteNorAQuery(t *testing.T) {
	t.Parallel()
	for _, description := range []string{
		`Bad Request: can't parse entities: Unsupported start tag "Мурка" at byte offset 7`,
		`Bad Request: can't parse entities: Unmatched end tag, expected "</b>", found "</Мурка>"`,
		`Bad Request: failed to send message #1 with the error message "can't parse entities: Unsupported start tag "Мурка""`,
		`Bad Request: inline keyboard button URL 'https://x.example/Мурка' is invalid: Wrong HTTP URL`,
		`Bad Request: wrong HTTP URL https://cdn.example/a.jpg?sign=Мурка`,
	} {
		require.NotContains(t, classify(refusal{code: 400, description: description}).Error(), "Мурка")
	}
	long := classify(refusal{code: 400, description: strings.Repeat("ё", 5000)}).Error()
	require.Less(t, utf8.RuneCountInString(long), 260)
}

func TestTheTableOfActionsIsTotal(t *testing.T) {
	t.Parallel()
	require.Len(t, actions, len(everyClass))
	for _, class := range everyClass {
		require.Contains(t, actions, class)
	}
	require.Equal(t, Fail, Class("").Action())
}

func TestEveryRowIsReachableAndLowerCased(t *testing.T) {
	t.Parallel()
	for _, r := range catalogue {
		require.Equal(t, strings.ToLower(r.text), r.text)
		require.Contains(t, everyClass, r.class)
		code := r.code
		if code == 0 {
			code = http.StatusBadRequest
		}
		require.Equal(t, r.class, lookUp(methodFor(r), code, r.text).class, r.text)
	}
}

func methodFor(r row) string {
	if r.code == http.StatusRequestEntityTooLarge && !r.media {
		return "sendMessage"
	}
	return "sendPhoto"
}

func FuzzClassifyAlwaysHasAClassAndASafeText(f *testing.F) {
	f.Add(400, 400, `failed to send message #99999999999999999999 with the error message "x`)
	f.Add(200, 0, "Too Many Requests: retry after 99999999999999999999")
	f.Add(-5, 700, "\xff\x00")
	f.Fuzz(func(t *testing.T, status, code int, description string) {
		got := classify(refusal{method: "sendPhoto", httpStatus: status, code: code, description: description})
		require.Contains(t, everyClass, got.Class)
		require.GreaterOrEqual(t, got.RetryAfter, time.Duration(0))
		require.GreaterOrEqual(t, got.FailedItem, 0)
		require.True(t, utf8.ValidString(got.Error()))
		require.NotContains(t, got.Error(), "\n")
	})
}
