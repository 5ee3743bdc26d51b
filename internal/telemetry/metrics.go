package telemetry

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Metrics are the numbers that say how the product fares. Labels are few and
// closed: platforms, statuses, classes of outcomes. Never an id, a chat, a
// wall or a text.
type Metrics struct {
	deliveries  metric.Int64Counter
	sends       metric.Int64Counter
	sendTime    metric.Float64Histogram
	unknown     metric.Int64Counter
	scans       metric.Int64Counter
	scanTime    metric.Float64Histogram
	posts       metric.Int64Counter
	updates     metric.Int64Counter
	requests    metric.Int64Counter
	requestTime metric.Float64Histogram
	waiting     metric.Int64ObservableGauge
	oldest      metric.Float64ObservableGauge
	meter       metric.Meter
	labels      labels
}

// seconds suit calls of a platform: from a local answer to a time-out.
var seconds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

func newMetrics(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{meter: meter}
	var errs []error
	counter := func(name, about string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(about))
		errs = append(errs, err)
		return c
	}
	histogram := func(name, about string) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithDescription(about), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(seconds...))
		errs = append(errs, err)
		return h
	}
	m.deliveries = counter("vestnik_deliveries", "Deliveries that reached a status.")
	m.sends = counter("vestnik_sends", "Calls that send, by how the platform answered.")
	m.sendTime = histogram("vestnik_send_duration", "Time of a call that sends.")
	m.unknown = counter("vestnik_sends_unknown", "Sends of which nobody can know whether they went out.")
	m.scans = counter("vestnik_scans", "Walls read, by outcome.")
	m.scanTime = histogram("vestnik_scan_duration", "Time to read one wall.")
	m.posts = counter("vestnik_posts", "Posts seen, by what became of them.")
	m.updates = counter("vestnik_bot_updates", "Updates of the guide bot, by what became of them.")
	m.requests = counter("vestnik_http_requests", "Requests to the api, by route and status class.")
	m.requestTime = histogram("vestnik_http_request_duration", "Time to answer a request to the api.")
	var err error
	m.waiting, err = meter.Int64ObservableGauge("vestnik_deliveries_waiting", metric.WithDescription("Deliveries that are not done, by status."))
	errs = append(errs, err)
	m.oldest, err = meter.Float64ObservableGauge("vestnik_delivery_oldest_waiting", metric.WithUnit("s"),
		metric.WithDescription("Age of the oldest delivery that is pending or sending."))
	errs = append(errs, err)
	return m, errors.Join(errs...)
}

// Delivery counts a delivery that reached a status: sent, failed, parked, …
// platform is telegram or vk.
func (m *Metrics) Delivery(ctx context.Context, platform, status string) {
	m.deliveries.Add(ctx, 1, m.with("platform", platform, "status", status))
}

// Send counts one call that sends. outcome is "sent" or the class of the
// error, as its catalogue names it.
func (m *Metrics) Send(ctx context.Context, platform, outcome string, took time.Duration) {
	m.sends.Add(ctx, 1, m.with("platform", platform, "outcome", outcome))
	m.sendTime.Record(ctx, took.Seconds(), m.with("platform", platform))
}

// SendUnknown counts a send of which nobody can know whether it went out;
// then is what was decided: retry or park.
func (m *Metrics) SendUnknown(ctx context.Context, platform, then string) {
	m.unknown.Add(ctx, 1, m.with("platform", platform, "then", then))
}

// Scan counts one wall that was read. outcome is "read" or the class of the
// error.
func (m *Metrics) Scan(ctx context.Context, outcome string, took time.Duration) {
	m.scans.Add(ctx, 1, m.with("outcome", outcome))
	m.scanTime.Record(ctx, took.Seconds(), m.with())
}

// Posts counts posts of a wall. outcome is stored, known, or the reason for
// which they were skipped.
func (m *Metrics) Posts(ctx context.Context, outcome string, n int) {
	m.posts.Add(ctx, int64(n), m.with("outcome", outcome))
}

// Update counts an update of the guide bot. outcome is taken, duplicate,
// refused, …
func (m *Metrics) Update(ctx context.Context, outcome string) {
	m.updates.Add(ctx, 1, m.with("outcome", outcome))
}

// Request counts an answer of the api. route is the pattern, never the path;
// status the HTTP status code.
func (m *Metrics) Request(ctx context.Context, route string, status int, took time.Duration) {
	m.requests.Add(ctx, 1, m.with("route", route, "status", statusClass(status)))
	m.requestTime.Record(ctx, took.Seconds(), m.with("route", route))
}

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return string(rune('0'+status/100)) + "xx"
}

// Backlog is what waits to be delivered.
type Backlog struct {
	Waiting map[string]int64 // by status
	Oldest  time.Duration    // age of the oldest that is pending or sending
}

// Reading the backlog costs the database something, so all who ask within
// backlogFor are told the same.
const (
	backlogFor  = 5 * time.Second
	backlogTime = 5 * time.Second // for one look
)

// ObserveBacklog has look called when somebody reads the metrics, once in five
// seconds at most. On an error the gauges are left out.
func (m *Metrics) ObserveBacklog(look func(context.Context) (Backlog, error)) error {
	var mu sync.Mutex
	var looked time.Time
	var backlog Backlog
	var failure error
	_, err := m.meter.RegisterCallback(func(ctx context.Context, observer metric.Observer) error {
		mu.Lock()
		defer mu.Unlock()
		if looked.IsZero() || time.Since(looked) >= backlogFor {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backlogTime)
			backlog, failure = look(ctx)
			cancel()
			looked = time.Now()
		}
		if failure != nil {
			return failure
		}
		for status, n := range backlog.Waiting {
			observer.ObserveInt64(m.waiting, n, m.with("status", status))
		}
		observer.ObserveFloat64(m.oldest, backlog.Oldest.Seconds())
		return nil
	}, m.waiting, m.oldest)
	return err
}

// with makes an option of pairs of label and value.
func (m *Metrics) with(pairs ...string) metric.MeasurementOption {
	attributes := make([]attribute.KeyValue, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		attributes = append(attributes, attribute.String(pairs[i], m.labels.value(pairs[i], pairs[i+1])))
	}
	return metric.WithAttributeSet(attribute.NewSet(attributes...))
}

const (
	// other stands for what a label may not say.
	other = "other"
	// labelValues is how many values one label may take. The catalogues have
	// some forty classes; more would be a mistake of ours.
	labelValues = 64
)

var labelValue = regexp.MustCompile(`^[A-Za-z0-9_./{} -]{1,64}$`)

// labels keep a label's values few, whatever the caller passes.
type labels struct{ seen sync.Map }

type labelSet struct {
	mu     sync.Mutex
	values map[string]bool
}

func (l *labels) value(label, value string) string {
	if !labelValue.MatchString(value) {
		return other
	}
	entry, _ := l.seen.LoadOrStore(label, &labelSet{values: map[string]bool{}})
	set, ok := entry.(*labelSet)
	if !ok {
		return other
	}
	set.mu.Lock()
	defer set.mu.Unlock()
	if !set.values[value] {
		if len(set.values) >= labelValues {
			return other
		}
		set.values[value] = true
	}
	return value
}
