package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"regexp"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"
)

type traceKey struct{}

// traceHeader carries the trace id in Temporal's headers. Runs that earlier
// builds began have it, so it keeps its name.
const traceHeader = "trace_id"

// NewTraceID is 32 random hexadecimal digits, the form of a W3C trace id.
func NewTraceID() string {
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // never fails, by its documentation
	return hex.EncodeToString(id[:])
}

// traceID keeps a stranger's header from writing into our logs.
var traceID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// WithTraceID gives ctx a trace id. One that is not 1 to 64 letters, digits,
// _ or - is replaced by a new one.
func WithTraceID(ctx context.Context, id string) context.Context {
	if !traceID.MatchString(id) {
		id = NewTraceID()
	}
	return context.WithValue(ctx, traceKey{}, id)
}

// TraceID is the trace id of ctx: the one it was given, else that of its
// OpenTelemetry span, else empty.
func TraceID(ctx context.Context) string {
	if id, ok := ctx.Value(traceKey{}).(string); ok {
		return id
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		return span.TraceID().String()
	}
	return ""
}

// WorkflowTraceID is the trace id with which the workflow was started.
func WorkflowTraceID(ctx workflow.Context) string {
	id, _ := ctx.Value(traceKey{}).(string)
	return id
}

// WithWorkflowTraceID gives ctx a trace id other than the one with which the
// workflow was started: a workflow that serves many requests, one after the
// other, logs each under its own and hands it to the activities it calls for
// it. One that is not well-formed is left out, since a replacement would not
// be deterministic.
func WithWorkflowTraceID(ctx workflow.Context, id string) workflow.Context {
	if !traceID.MatchString(id) {
		return ctx
	}
	return workflow.WithValue(ctx, traceKey{}, id)
}

// tracePropagator carries the trace id in Temporal's headers, from the caller
// to the workflow and from there to its activities and children.
type tracePropagator struct{}

func (tracePropagator) Inject(ctx context.Context, writer workflow.HeaderWriter) error {
	return write(TraceID(ctx), writer)
}

func (tracePropagator) InjectFromWorkflow(ctx workflow.Context, writer workflow.HeaderWriter) error {
	return write(WorkflowTraceID(ctx), writer)
}

func (tracePropagator) Extract(ctx context.Context, reader workflow.HeaderReader) (context.Context, error) {
	if id := read(reader); id != "" {
		ctx = WithTraceID(ctx, id)
	}
	return ctx, nil
}

func (tracePropagator) ExtractToWorkflow(ctx workflow.Context, reader workflow.HeaderReader) (workflow.Context, error) {
	// Only what is well-formed: a replacement would not be deterministic.
	if id := read(reader); traceID.MatchString(id) {
		ctx = workflow.WithValue(ctx, traceKey{}, id)
	}
	return ctx, nil
}

func write(id string, writer workflow.HeaderWriter) error {
	if id == "" {
		return nil
	}
	payload, err := converter.GetDefaultDataConverter().ToPayload(id)
	if err != nil {
		return err
	}
	writer.Set(traceHeader, payload)
	return nil
}

// read passes over a header that somebody else wrote in another form: a
// missing trace id must not cost a delivery.
func read(reader workflow.HeaderReader) string {
	payload, ok := reader.Get(traceHeader)
	if !ok {
		return ""
	}
	var id string
	if err := converter.GetDefaultDataConverter().FromPayload(payload, &id); err != nil {
		return ""
	}
	return id
}

// traceIDInterceptor adds the trace id to what workflow.GetLogger and
// activity.GetLogger write.
type traceIDInterceptor struct{ interceptor.InterceptorBase }

func (*traceIDInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &activityInbound{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

func (*traceIDInterceptor) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &workflowInbound{interceptor.WorkflowInboundInterceptorBase{Next: next}}
}

type activityInbound struct {
	interceptor.ActivityInboundInterceptorBase
}

func (i *activityInbound) Init(outbound interceptor.ActivityOutboundInterceptor) error {
	return i.Next.Init(&activityOutbound{interceptor.ActivityOutboundInterceptorBase{Next: outbound}})
}

type activityOutbound struct {
	interceptor.ActivityOutboundInterceptorBase
}

func (o *activityOutbound) GetLogger(ctx context.Context) sdklog.Logger {
	return withTraceID(o.Next.GetLogger(ctx), TraceID(ctx))
}

type workflowInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *workflowInbound) Init(outbound interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&workflowOutbound{interceptor.WorkflowOutboundInterceptorBase{Next: outbound}})
}

type workflowOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (o *workflowOutbound) GetLogger(ctx workflow.Context) sdklog.Logger {
	return withTraceID(o.Next.GetLogger(ctx), WorkflowTraceID(ctx))
}

func withTraceID(logger sdklog.Logger, id string) sdklog.Logger {
	if id == "" {
		return logger
	}
	return sdklog.With(logger, traceIDKey, id)
}
