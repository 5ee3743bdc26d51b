package telegram

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// row is one answer of Telegram and what it means.
type row struct {
	code  int    // error_code; 0 for a text that comes under several codes
	text  string // part of the description, lower-cased; "" for the code's default
	class Class
	// blocked marks the 403 that a person caused by blocking the bot or leaving Telegram.
	blocked bool
	// media marks a row that holds only for methods that send media.
	media bool
}

// catalogue holds every answer we know, the more special before the more general: the first row whose code and text
// fit is the one. The texts are those of the Bot API server (Client.cpp), of TDLib and of the MTProto server, compared
// lower-cased because the Bot API server lower-cases the first letter of some and not of others.
var catalogue = []row{
	// Waiting. In an album the 429 of one item comes as a 400, without parameters.
	{text: "too many requests", class: RateLimited},
	{text: "flood_wait", class: RateLimited},
	{code: 429, class: RateLimited},

	{code: 400, text: "upgraded to a supergroup", class: Migrated},

	// The media could not be used; the texts in capitals are the MTProto server's own.
	{code: 400, text: "invalid file http url specified", class: MediaInvalidURL},
	{code: 400, text: "wrong http url specified", class: MediaInvalidURL},
	{code: 400, text: "wrong file identifier/http url specified", class: MediaInvalidURL},
	{code: 400, text: "wrong remote file identifier specified", class: MediaInvalidURL},
	{code: 400, text: "remote file identifier must be non-empty", class: MediaInvalidURL},
	{code: 400, text: "unsupported url protocol", class: MediaInvalidURL},
	{code: 400, text: "url host is empty", class: MediaInvalidURL},
	{code: 400, text: "wrong port number specified in the url", class: MediaInvalidURL},
	{code: 400, text: "url must be in utf-8", class: MediaInvalidURL},
	{code: 400, text: "failed to get http url content", class: MediaFetchFailed},
	{code: 400, text: "webpage_curl_failed", class: MediaFetchFailed},
	{code: 400, text: "can't upload file by url", class: MediaFetchFailed},
	{code: 400, text: "wrong type of the web page content", class: MediaUnsupported},
	{code: 400, text: "webpage_media_empty", class: MediaUnsupported},
	{code: 400, text: "photo_invalid_dimensions", class: MediaUnsupported},
	{code: 400, text: "photo_save_file_invalid", class: MediaUnsupported},
	{code: 400, text: "photo_ext_invalid", class: MediaUnsupported},
	{code: 400, text: "image_process_failed", class: MediaUnsupported},
	{code: 400, text: "photo has unsupported extension", class: MediaUnsupported},
	{code: 400, text: "file is too big", class: MediaUnsupported},
	{code: 400, text: "type of file mismatch", class: MediaUnsupported},
	{code: 400, text: "file must be non-empty", class: MediaUnsupported},
	{text: "rights to send documents", class: MediaUnsupported}, // the chat takes words and photos all the same
	{text: "rights to send animations", class: MediaUnsupported},
	{text: "chat_send_docs_forbidden", class: MediaUnsupported},
	{text: "chat_send_gifs_forbidden", class: MediaUnsupported},
	{code: 400, text: "media_empty", class: MediaUnsupported},
	{code: 400, text: "media_invalid", class: MediaUnsupported},
	{code: 400, text: "group send failed", class: MediaUnsupported},
	{code: 400, text: "too much messages to send as an album", class: MediaUnsupported},
	{code: 400, text: "can't use the media of the specified type in the album", class: MediaUnsupported},
	{code: 413, class: MediaUnsupported, media: true},
	{code: 413, class: TooLong},

	// What we rendered was wrong.
	{code: 400, text: "message is too long", class: TooLong},
	{code: 400, text: "message_too_long", class: TooLong},
	{code: 400, text: "caption is too long", class: TooLong},
	{code: 400, text: "media_caption_too_long", class: TooLong},
	{code: 400, text: "text is too long", class: TooLong},
	{code: 400, text: "can't parse entities", class: CantParseEntities},
	{code: 400, text: "entity_bounds_invalid", class: CantParseEntities},
	{code: 400, text: "message text is empty", class: BadRequest},
	{code: 400, text: "text must be non-empty", class: BadRequest},
	{code: 400, text: "button_url_invalid", class: BadRequest},
	{code: 400, text: "inline keyboard button url", class: BadRequest},
	{code: 400, text: "button_data_invalid", class: BadRequest},
	{code: 400, text: "button_copy_text_invalid", class: BadRequest},
	{code: 400, text: "text buttons are unallowed in the inline keyboard", class: BadRequest},
	{code: 400, text: "reply markup is too long", class: BadRequest},

	// Topics.
	{code: 400, text: "message thread not found", class: ThreadNotFound},
	{code: 400, text: "topic_deleted", class: ThreadNotFound},
	{code: 400, text: "topic_id_invalid", class: ThreadNotFound},
	{code: 400, text: "topic_closed", class: TopicClosed},

	// Messages and queries named in a call.
	{code: 400, text: "message is not modified", class: NotModified},
	{code: 400, text: "message to edit not found", class: MessageGone},
	{code: 400, text: "message to delete not found", class: MessageGone},
	{code: 400, text: "message can't be deleted", class: CantBeDeleted},
	{code: 400, text: "message can't be edited", class: MessageGone},
	{code: 400, text: "there is no text in the message to edit", class: MessageGone},
	{code: 400, text: "there is no caption in the message to edit", class: MessageGone},
	{code: 400, text: "message_id_invalid", class: MessageGone},
	{code: 400, text: "message to be replied not found", class: MessageGone},
	{code: 400, text: "replied message not found", class: MessageGone},
	{code: 400, text: "query is too old", class: QueryTooOld},
	{code: 400, text: "query id is invalid", class: QueryTooOld},
	{code: 400, text: "query_id_invalid", class: QueryTooOld},

	// Members. These three come for people who are simply not there, and for accounts Telegram has forgotten.
	{code: 400, text: "user_not_participant", class: NotAMember},
	{code: 400, text: "participant_id_invalid", class: NotAMember},
	{code: 400, text: "member not found", class: NotAMember},
	{code: 400, text: "user not found", class: NotAMember},

	// Rights. Telegram says most of it with 403, some with 400.
	{code: 400, text: "member list is inaccessible", class: Forbidden},
	{code: 400, text: "not enough rights", class: Forbidden},
	{code: 400, text: "have no rights to send a message", class: Forbidden},
	{code: 400, text: "need administrator rights", class: Forbidden},
	{code: 400, text: "chat_admin_required", class: Forbidden},
	{code: 400, text: "chat_write_forbidden", class: Forbidden},
	{code: 400, text: "chat_restricted", class: Forbidden},
	{code: 400, text: "_forbidden", class: Forbidden}, // CHAT_SEND_PHOTOS_FORBIDDEN and its kin
	{code: 400, text: "user_is_blocked", class: Forbidden, blocked: true},
	{code: 400, text: "input_user_deactivated", class: Forbidden, blocked: true},
	{code: 400, text: "group chat was deleted", class: Forbidden},
	{code: 400, text: "channel_private", class: Forbidden},
	{code: 403, text: "bot was blocked by the user", class: Forbidden, blocked: true},
	{code: 403, text: "user is deactivated", class: Forbidden, blocked: true},
	{code: 403, text: "can't initiate conversation with a user", class: Forbidden, blocked: true},
	{code: 403, text: "bot is not a member of", class: Forbidden},
	{code: 403, text: "bot was kicked from", class: Forbidden},
	{code: 403, text: "group chat was deleted", class: Forbidden},
	{code: 403, class: Forbidden},

	// Chats. After the rights, because "private chat not found" and the like name the chat only.
	{code: 400, text: "chat not found", class: ChatNotFound},
	{code: 400, text: "peer_id_invalid", class: ChatNotFound},
	{code: 400, text: "chat_id is empty", class: ChatNotFound},
	{code: 400, text: "chat_id_invalid", class: ChatNotFound},

	// The token. A path with a wrong token answers 404 as well as 401.
	{code: 400, text: "logged out", class: Unauthorized},
	{code: 401, class: Unauthorized},
	{code: 404, text: "method not found", class: Internal},
	{code: 404, class: Unauthorized},

	{code: 409, class: Conflict},
	{code: 400, class: BadRequest},
}

// refusal is an answer that is not a success, as it came.
type refusal struct {
	method      string
	httpStatus  int
	code        int
	description string
	retryAfter  time.Duration
	migrateTo   int64
	foreign     bool // not Telegram's own answer: the code is the HTTP status
}

// classify looks a refusal up in the catalogue. It is total: what no row fits is classified by its hundreds, 5xx (and a
// redirect, which no Bot API server sends) as Unavailable and everything else as BadRequest.
func classify(r refusal) *Error {
	e := &Error{Code: r.code, RetryAfter: r.retryAfter, MigrateToChatID: r.migrateTo}
	if r.code == 0 && r.httpStatus >= 300 {
		e.Code = r.httpStatus // {"ok":false} without a code
	}
	text := strings.ToLower(r.description)

	inner, item := text, 0
	if match := albumItem.FindStringSubmatch(text); match != nil {
		item, _ = strconv.Atoi(match[1])
		inner = match[2]
	}
	found := lookUp(r.method, e.Code, inner)
	if r.migrateTo != 0 {
		found = row{class: Migrated}
	}
	e.Class, e.Blocked, e.FailedItem = found.class, found.blocked && !r.foreign, item
	if item != 0 {
		switch found.class {
		case MediaInvalidURL, MediaFetchFailed, MediaUnsupported:
			e.Class, e.ItemClass = MediaItem, found.class
		case BadRequest:
			e.Class = MediaItem
		}
	}
	if e.Class == RateLimited && e.RetryAfter == 0 {
		if match := retryAfterText.FindStringSubmatch(text); match != nil {
			e.RetryAfter = seconds(match[1], nil)
		}
	}
	e.Description = safeDescription(r.description, item != 0 && e.Class != CantParseEntities)
	if r.foreign {
		e.Description = strings.TrimSpace("an answer that is not Telegram's: " + e.Description)
	}
	return e
}

func lookUp(method string, code int, text string) row {
	media := method == "sendPhoto" || method == "sendMediaGroup" || method == "sendAnimation" || method == "sendDocument"
	for _, r := range catalogue {
		if (r.code == 0 || r.code == code) && (r.text == "" || strings.Contains(text, r.text)) && (media || !r.media) {
			return r
		}
	}
	if code >= http.StatusInternalServerError || code >= 300 && code < 400 {
		return row{class: Unavailable}
	}
	return row{class: BadRequest}
}

var (
	// albumItem finds the item that Telegram names, and what it says about it.
	albumItem = regexp.MustCompile(`failed to send message #(\d+) with the error message "(.*)`)
	// retryAfterText finds the waiting time where Telegram gives it in words only; the server's names spell it FLOOD_WAIT_8.
	retryAfterText = regexp.MustCompile(`(?:retry after |flood_wait_)(\d+)`)
)
