package guide

// Code is an error_code of the specification's section 4.7, for the log.
type Code string

// The codes.
const (
	InboundInvalidJSON         Code = "TG_INBOUND_INVALID_JSON"
	InboundUnsupportedUpdate   Code = "TG_INBOUND_UNSUPPORTED_UPDATE"
	InboundInvalidCallbackData Code = "TG_INBOUND_INVALID_CALLBACK_DATA"

	OutboundRateLimit        Code = "TG_OUTBOUND_429_RATE_LIMIT"
	Outbound5XX              Code = "TG_OUTBOUND_5XX"
	OutboundTimeout          Code = "TG_OUTBOUND_TIMEOUT"
	OutboundBadRequest       Code = "TG_OUTBOUND_4XX_BAD_REQUEST"
	OutboundMediaInvalidURL  Code = "TG_OUTBOUND_MEDIA_INVALID_URL"
	OutboundMediaFetchFailed Code = "TG_OUTBOUND_MEDIA_FETCH_FAILED"
	OutboundMediaUnsupported Code = "TG_OUTBOUND_MEDIA_TOO_LARGE_OR_UNSUPPORTED"
	OutboundMediaFallback    Code = "TG_OUTBOUND_MEDIA_FALLBACK_TO_TEXT"

	InternalDB         Code = "INTERNAL_DB_ERROR"
	InternalConfig     Code = "INTERNAL_CONFIG_ERROR"
	InternalUnexpected Code = "INTERNAL_UNEXPECTED_ERROR"
)

// Classes is the class of every code, total and fixed.
var Classes = map[Code]string{
	InboundInvalidJSON:         "INBOUND_VALIDATION",
	InboundUnsupportedUpdate:   "INBOUND_VALIDATION",
	InboundInvalidCallbackData: "INBOUND_VALIDATION",
	OutboundRateLimit:          "OUTBOUND_RATE_LIMIT",
	Outbound5XX:                "OUTBOUND_TRANSPORT",
	OutboundTimeout:            "OUTBOUND_TRANSPORT",
	OutboundBadRequest:         "OUTBOUND_BAD_REQUEST",
	OutboundMediaInvalidURL:    "OUTBOUND_MEDIA",
	OutboundMediaFetchFailed:   "OUTBOUND_MEDIA",
	OutboundMediaUnsupported:   "OUTBOUND_MEDIA",
	OutboundMediaFallback:      "OUTBOUND_MEDIA",
	InternalDB:                 "INTERNAL_DB",
	InternalConfig:             "INTERNAL_CONFIG",
	InternalUnexpected:         "INTERNAL_UNEXPECTED",
}

// Class is the error_class of the code.
func (c Code) Class() string {
	if class, ok := Classes[c]; ok {
		return class
	}
	return Classes[InternalUnexpected]
}

// LogFields are the fields of an error in the log: error_code, error_class,
// message and, if there are any, details. None may hold what a person wrote.
func (c Code) LogFields(message, details string) []any {
	fields := []any{"error_code", string(c), "error_class", c.Class(), "message", message}
	if details != "" {
		fields = append(fields, "details", details)
	}
	return fields
}
