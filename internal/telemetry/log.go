package telemetry

import (
	"context"
	"io"
	"log/slog"

	"vestnik/internal/config"
)

// traceIDKey names the trace id in log lines, as the guide's specification does
// (4.7).
const traceIDKey = "traceId"

// NewLogger writes one line per record to output, in the format and from the
// level that log asks for. Secrets given to [Redact] are masked wherever they
// stand in a line; a context's trace id is added.
func NewLogger(output io.Writer, log config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(log.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	output = redacting{output}
	if log.Format == "text" {
		return slog.New(traceHandler{slog.NewTextHandler(output, options)})
	}
	return slog.New(traceHandler{slog.NewJSONHandler(output, options)})
}

// traceHandler adds the trace id of the context.
type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, record slog.Record) error {
	if id := TraceID(ctx); id != "" {
		record = record.Clone()
		record.AddAttrs(slog.String(traceIDKey, id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
