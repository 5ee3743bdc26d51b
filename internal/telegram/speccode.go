package telegram

// SpecCode is an error_code of the guide's specification, section 4.7.
type SpecCode string

// SpecClass is an error_class of the guide's specification, section 4.7.
type SpecClass string

// The outbound codes, and the one internal code a call can end in.
const (
	CodeRateLimit        SpecCode = "TG_OUTBOUND_429_RATE_LIMIT"
	Code5XX              SpecCode = "TG_OUTBOUND_5XX"
	CodeTimeout          SpecCode = "TG_OUTBOUND_TIMEOUT"
	CodeBadRequest       SpecCode = "TG_OUTBOUND_4XX_BAD_REQUEST"
	CodeMediaInvalidURL  SpecCode = "TG_OUTBOUND_MEDIA_INVALID_URL"
	CodeMediaFetchFailed SpecCode = "TG_OUTBOUND_MEDIA_FETCH_FAILED"
	CodeMediaUnsupported SpecCode = "TG_OUTBOUND_MEDIA_TOO_LARGE_OR_UNSUPPORTED"
	// CodeMediaFallback is never an error's own: the guide records it when it sends the text without the photo.
	CodeMediaFallback SpecCode = "TG_OUTBOUND_MEDIA_FALLBACK_TO_TEXT"
	CodeUnexpected    SpecCode = "INTERNAL_UNEXPECTED_ERROR"
)

// The classes those codes belong to.
const (
	SpecRateLimit  SpecClass = "OUTBOUND_RATE_LIMIT"
	SpecTransport  SpecClass = "OUTBOUND_TRANSPORT"
	SpecBadRequest SpecClass = "OUTBOUND_BAD_REQUEST"
	SpecMedia      SpecClass = "OUTBOUND_MEDIA"
	SpecUnexpected SpecClass = "INTERNAL_UNEXPECTED"
)

// specCodes is total: a test goes through all classes. Whatever the network did is a TIMEOUT, as the specification
// has no other word for it.
var specCodes = map[Class]SpecCode{
	RateLimited:       CodeRateLimit,
	Unavailable:       Code5XX,
	Unreachable:       CodeTimeout,
	OutcomeUnknown:    CodeTimeout,
	Migrated:          CodeBadRequest,
	Unauthorized:      CodeBadRequest,
	Forbidden:         CodeBadRequest,
	ChatNotFound:      CodeBadRequest,
	ThreadNotFound:    CodeBadRequest,
	TopicClosed:       CodeBadRequest,
	MediaInvalidURL:   CodeMediaInvalidURL,
	MediaFetchFailed:  CodeMediaFetchFailed,
	MediaUnsupported:  CodeMediaUnsupported,
	MediaItem:         CodeMediaUnsupported,
	TooLong:           CodeBadRequest,
	CantParseEntities: CodeBadRequest,
	MessageGone:       CodeBadRequest,
	NotModified:       CodeBadRequest,
	QueryTooOld:       CodeBadRequest,
	NotAMember:        CodeBadRequest,
	BadRequest:        CodeBadRequest,
	Conflict:          CodeBadRequest,
	Internal:          CodeUnexpected,
}

// specClasses is total over the codes above.
var specClasses = map[SpecCode]SpecClass{
	CodeRateLimit:        SpecRateLimit,
	Code5XX:              SpecTransport,
	CodeTimeout:          SpecTransport,
	CodeBadRequest:       SpecBadRequest,
	CodeMediaInvalidURL:  SpecMedia,
	CodeMediaFetchFailed: SpecMedia,
	CodeMediaUnsupported: SpecMedia,
	CodeMediaFallback:    SpecMedia,
	CodeUnexpected:       SpecUnexpected,
}

// SpecCode is the specification's error_code for the class.
func (c Class) SpecCode() SpecCode {
	if code, ok := specCodes[c]; ok {
		return code
	}
	return CodeUnexpected
}

// Class is the error_class the code belongs to.
func (c SpecCode) Class() SpecClass {
	if class, ok := specClasses[c]; ok {
		return class
	}
	return SpecUnexpected
}

// SpecCode is the specification's error_code for the error. An album item counts by what was wrong with it.
func (e *Error) SpecCode() SpecCode {
	if e.Class == MediaItem && e.ItemClass != "" {
		return e.ItemClass.SpecCode()
	}
	return e.Class.SpecCode()
}
