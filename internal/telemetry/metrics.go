package telemetry

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Metrics are the numbers that say how the product fares. What a process does it
// counts itself; how the ledger stands, every process reads there and reports to the
// same. Labels are few and closed: platforms, statuses, classes of outcomes.
// Never an id, a chat, a wall or a text.
type Metrics struct {
	sends, reads, delays, requests metric.Float64Histogram
	posts, updates                 metric.Int64Counter
	gauges                         map[Gauge]metric.Float64ObservableGauge
	meter                          metric.Meter
	labels                         labels
}

// Gauge is a number that is read, not counted: a name without the unit.
type Gauge string

// The gauges of the ledger and of Temporal.
const (
	Waiting      Gauge = "vestnik_deliveries_waiting"
	Oldest       Gauge = "vestnik_delivery_oldest_waiting"
	Destinations Gauge = "vestnik_destinations"
	Walls        Gauge = "vestnik_walls"
	ReadCalls    Gauge = "vestnik_read_calls_day"
	ReadBudget   Gauge = "vestnik_read_budget_day"
	Sessions     Gauge = "vestnik_bot_sessions"
	Problems     Gauge = "vestnik_problems"
	Connections  Gauge = "vestnik_postgres_connections"
	PoolWaits    Gauge = "vestnik_postgres_pool_waits"
)

// gauges are what each gauge is labelled with, its unit and its meaning.
var gauges = map[Gauge]struct{ label, unit, about string }{
	Waiting:      {"status", "", "Deliveries that are not done: queued, parked or of unknown outcome."},
	Oldest:       {"", "s", "Age of the oldest delivery in a queue."},
	Destinations: {"state", "", "Destinations by the state of their lanes."},
	Walls:        {"state", "", "Watched walls by state."},
	ReadCalls:    {"", "", "Calls of wall.get in the last 24 hours."},
	ReadBudget:   {"", "", "Calls of wall.get that 24 hours allow."},
	Sessions:     {"", "", "Chats with the guide under way."},
	Problems:     {"kind", "", "Things that need a person, as vestnik status lists them."},
	Connections:  {"state", "", "Connections of this process's pool: busy, idle, and how many there may be (most)."},
	PoolWaits:    {"", "", "How often somebody waited for a connection since the process began."},
}

var (
	// seconds suit calls of a platform: from a local answer to a time-out.
	seconds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	// delays suit the time from a post to its message: from seconds to days.
	delays = []float64{5, 15, 30, 60, 120, 300, 600, 1800, 3600, 3 * 3600, 12 * 3600, 48 * 3600}
)

func newMetrics(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{meter: meter, gauges: map[Gauge]metric.Float64ObservableGauge{}}
	var errs []error
	counter := func(name, about string) metric.Int64Counter {
		c, err := meter.Int64Counter(name, metric.WithDescription(about))
		errs = append(errs, err)
		return c
	}
	histogram := func(name, about string, bounds []float64) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithDescription(about), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(bounds...))
		errs = append(errs, err)
		return h
	}
	m.sends = histogram("vestnik_send_duration", "Calls that send, by how the platform answered.", seconds)
	m.reads = histogram("vestnik_read_duration", "Readings of one wall, by what came of them.", seconds)
	m.delays = histogram("vestnik_delivery_delay", "From a post to the last message about it.", delays)
	m.requests = histogram("vestnik_http_request_duration", "Requests to the api, by route and status class.", seconds)
	m.posts = counter("vestnik_posts", "Posts of the walls, by what became of them.")
	m.updates = counter("vestnik_bot_updates", "Updates of the guide bot, by what became of them.")
	for name, gauge := range gauges {
		made, err := meter.Float64ObservableGauge(string(name), metric.WithDescription(gauge.about), metric.WithUnit(gauge.unit))
		errs = append(errs, err)
		m.gauges[name] = made
	}
	return m, errors.Join(errs...)
}

// Send counts one call that sends. outcome is that of the attempt, as the
// ledger records it.
func (m *Metrics) Send(ctx context.Context, platform, outcome string, took time.Duration) {
	m.sends.Record(ctx, took.Seconds(), m.with("platform", platform, "outcome", outcome))
}

// Delivered counts a delivery whose last part has arrived, so long after its
// post was written.
func (m *Metrics) Delivered(ctx context.Context, platform string, after time.Duration) {
	m.delays.Record(ctx, after.Seconds(), m.with("platform", platform))
}

// Read counts one reading of a wall. outcome is read, parked, failed or paused.
func (m *Metrics) Read(ctx context.Context, outcome string, took time.Duration) {
	m.reads.Record(ctx, took.Seconds(), m.with("outcome", outcome))
}

// Posts counts posts of a wall. outcome is new, edited, deleted, owed,
// suppressed, set_aside, or the reason for which they were skipped.
func (m *Metrics) Posts(ctx context.Context, outcome string, n int) {
	if n > 0 {
		m.posts.Add(ctx, int64(n), m.with("outcome", outcome))
	}
}

// Update counts an update of the guide bot. outcome is taken, duplicate,
// refused, …
func (m *Metrics) Update(ctx context.Context, outcome string) {
	m.updates.Add(ctx, 1, m.with("outcome", outcome))
}

// Requests counts what handler answers, by the pattern of the route, never by
// the path.
func (m *Metrics) Requests(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, answer := time.Now(), &answer{ResponseWriter: w}
		handler.ServeHTTP(answer, r)
		m.requests.Record(r.Context(), time.Since(began).Seconds(),
			m.with("route", cmp.Or(r.Pattern, other), "status", statusClass(cmp.Or(answer.status, http.StatusOK))))
	})
}

// answer remembers the status of an answer.
type answer struct {
	http.ResponseWriter

	status int
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return string(rune('0'+status/100)) + "xx"
}

// Standing is how things stand: the values of gauges by their label, "" for one
// without.
type Standing map[Gauge]map[string]float64

// Reading how things stand costs the database something, so all who ask within
// standingFor are told the same.
const (
	standingFor  = 5 * time.Second
	standingTime = 5 * time.Second // for one look
)

// Observe has look called when somebody reads the metrics, once in five seconds
// at most. What it does not tell is left out, and all of it on an error.
func (m *Metrics) Observe(look func(context.Context) (Standing, error)) error {
	var mu sync.Mutex
	var looked time.Time
	var standing Standing
	var failure error
	var instruments []metric.Observable
	for _, gauge := range m.gauges {
		instruments = append(instruments, gauge)
	}
	_, err := m.meter.RegisterCallback(func(ctx context.Context, observer metric.Observer) error {
		mu.Lock()
		defer mu.Unlock()
		if looked.IsZero() || time.Since(looked) >= standingFor {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), standingTime)
			standing, failure = look(ctx)
			cancel()
			looked = time.Now()
		}
		if failure != nil {
			return failure
		}
		for name, values := range standing {
			for label, value := range values {
				pair := []string{}
				if key := gauges[name].label; key != "" {
					pair = []string{key, label}
				}
				observer.ObserveFloat64(m.gauges[name], value, m.with(pair...))
			}
		}
		return nil
	}, instruments...)
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
