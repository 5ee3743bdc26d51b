// Package telemetry is what a process says about itself: JSON logs that carry
// a trace id and never a secret, metrics for Prometheus, and traces for
// whoever listens on OTLP. It gives the Temporal client all three, so that one
// trace id follows a post from the request that brought it through workflow
// and activity.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	prometheusclient "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/config"
)

const temporalMeter = "temporal-sdk-go"

// Telemetry is the voice of one process.
type Telemetry struct {
	Logger  *slog.Logger
	Metrics *Metrics

	registry *prometheusclient.Registry
	meters   *sdkmetric.MeterProvider
	traces   *sdktrace.TracerProvider // nil if nobody listens
}

// Start builds the voice of the role ("worker", "api", …). Logs go to output.
// Traces are sent only if config names an OTLP endpoint; the other OTEL_…
// variables are honoured then.
func Start(ctx context.Context, log config.Log, role string, output io.Writer) (*Telemetry, error) {
	t := &Telemetry{Logger: NewLogger(output, log).With("role", role), registry: prometheusclient.NewRegistry()}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	exporter, err := prometheus.New(prometheus.WithRegisterer(t.registry), prometheus.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	service := resource.NewSchemaless(
		attribute.String("service.name", "vestnik"),
		attribute.String("service.namespace", role),
	)
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithResource(service),
		// The SDK measures in seconds; OpenTelemetry's own buckets begin at 5.
		sdkmetric.WithView(sdkmetric.NewView(
			sdkmetric.Instrument{Kind: sdkmetric.InstrumentKindHistogram, Scope: instrumentation.Scope{Name: temporalMeter}},
			sdkmetric.Stream{Aggregation: sdkmetric.AggregationExplicitBucketHistogram{Boundaries: seconds}},
		)))
	if t.Metrics, err = newMetrics(t.meters.Meter("vestnik")); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	if log.OTLPEndpoint != "" {
		// The exporter reads the endpoint and the rest of OTEL_EXPORTER_OTLP_…
		// by itself; it connects when the first span is sent.
		spans, err := otlptracegrpc.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("traces: %w", err)
		}
		fromEnvironment, err := resource.New(ctx, resource.WithFromEnv())
		if err != nil {
			return nil, fmt.Errorf("traces: %w", err)
		}
		if service, err = resource.Merge(service, fromEnvironment); err != nil {
			return nil, fmt.Errorf("traces: %w", err)
		}
		t.traces = sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(service))
	}
	return t, nil
}

// Shutdown sends what is still to be sent.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var errs []error
	if t.traces != nil {
		errs = append(errs, t.traces.Shutdown(ctx))
	}
	return errors.Join(append(errs, t.meters.Shutdown(ctx))...)
}

// MetricsHandler serves /metrics in Prometheus's text format, to a few at once
// and in bounded time.
func (t *Telemetry) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		ErrorLog: promhttpLog{t.Logger}, MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	})
}

// Equip gives the options of a Temporal client logger, metrics, tracing and
// the propagation of trace ids. A worker inherits all of it from its client;
// a replayer needs the context propagators only.
func (t *Telemetry) Equip(options *client.Options) error {
	options.Logger = sdklog.NewStructuredLogger(t.Logger)
	options.MetricsHandler = opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter:                t.meters.Meter(temporalMeter),
		UseMonotonicCounters: true,
		// The default panics, and a metric is not worth a worker.
		OnError: func(err error) { t.Logger.Error("a metric of the Temporal SDK was refused", "error", err) },
	})
	options.ContextPropagators = append(options.ContextPropagators, ContextPropagators()...)
	options.Interceptors = append(options.Interceptors, &traceIDInterceptor{})
	if t.traces == nil {
		return nil
	}
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
		Tracer: t.traces.Tracer("vestnik"),
		// Queries come from people who look, not from the work.
		DisableQueryTracing:     true,
		AllowInvalidParentSpans: true,
	})
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	options.Interceptors = append([]interceptor.ClientInterceptor{tracing}, options.Interceptors...)
	return nil
}

// ContextPropagators are what every client, worker and replayer of Vestnik
// must share.
func ContextPropagators() []workflow.ContextPropagator {
	return []workflow.ContextPropagator{tracePropagator{}}
}

type promhttpLog struct{ logger *slog.Logger }

func (l promhttpLog) Println(v ...any) { l.logger.Error("metrics", "error", fmt.Sprint(v...)) }
