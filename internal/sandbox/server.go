package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say how a sandbox is set up. The zero value is a sandbox on a free
// local port with nothing in it.
type Options struct {
	// Addr is where to listen; "127.0.0.1:0" if empty. The sandbox is open to
	// everyone who can reach it, so it binds to nothing that is not named.
	Addr string
	// BaseURL is how clients and browsers reach the sandbox, without a
	// trailing slash; "http://" and the address if empty. Picture and upload
	// addresses begin with it.
	BaseURL string
	// Clock tells the time for message dates, rates, quotas and deadlines;
	// time.Now if nil. Delays of faults and webhook retries use real time.
	Clock func() time.Time
	// Samples fills the sandbox with the sample walls, chats and tokens.
	Samples bool
	// StateFile keeps chats and walls between runs, if named. It is written
	// shortly after each change and on Close.
	StateFile string
	// Logger hears of what goes wrong inside; silent if nil.
	Logger *slog.Logger
	// MaxCalls bounds how many calls are remembered; 50,000 if 0.
	MaxCalls int
	// Limits apply to every Telegram chat without limits of its own;
	// RealLimits if zero.
	Limits Limits
	// WebhookRetry is the pause before the second repetition of an update; it
	// doubles up to a minute. 2 s if 0, as at Telegram.
	WebhookRetry time.Duration
	// PictureWidth is that of drawn pictures that are asked for without a size,
	// in pixels; 1280 if 0. Their height is three quarters of it. Small ones
	// spare tests much work.
	PictureWidth int
	// PhotoTimeout bounds how long Telegram's side tries to fetch a photo; 5 s
	// if 0.
	PhotoTimeout time.Duration
}

// Server is a running sandbox.
type Server struct {
	options Options
	now     func() time.Time
	log     *slog.Logger
	baseURL string

	book     *callBook
	plan     *faultPlan
	telegram *telegram
	vk       *vk
	pictures *gallery
	events   *bulletin

	http     *http.Server
	listener net.Listener
	life     context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
	closing  sync.Once
	keeper   *stateKeeper
}

// Start listens and serves until ctx ends or Close is called.
func Start(ctx context.Context, options Options) (*Server, error) {
	if options.Addr == "" {
		options.Addr = "127.0.0.1:0"
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.MaxCalls <= 0 {
		options.MaxCalls = 50_000
	}
	if options.Limits == (Limits{}) {
		options.Limits = RealLimits
	}
	if options.WebhookRetry <= 0 {
		options.WebhookRetry = 2 * time.Second
	}
	if options.PictureWidth <= 0 {
		options.PictureWidth = 1280
	}
	if options.PhotoTimeout <= 0 {
		options.PhotoTimeout = 5 * time.Second
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", options.Addr)
	if err != nil {
		return nil, fmt.Errorf("sandbox: can't listen on %s (is another sandbox running there?): %w", options.Addr, err)
	}
	s := &Server{
		options: options, now: options.Clock, log: options.Logger,
		baseURL: strings.TrimSuffix(options.BaseURL, "/"), listener: listener,
		plan: &faultPlan{}, events: newBulletin(),
	}
	if s.baseURL == "" {
		s.baseURL = "http://" + reachable(listener.Addr())
	}
	s.life, s.stop = context.WithCancel(ctx)
	s.book = newCallBook(options.MaxCalls, s.now, func(call Call) { s.events.post(topicCalls) })
	s.pictures = newGallery(s)
	s.telegram = newTelegram(s)
	s.vk = newVK(s)
	if err := s.furnish(); err != nil {
		s.stop()
		return nil, errors.Join(err, listener.Close())
	}
	s.http = &http.Server{
		Handler: guard(s.routes(), s.baseURL, !servedHost(listener.Addr().String(), "", false)), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return s.life },
	}
	s.running.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("sandbox stopped serving", "error", err)
		}
	})
	s.running.Go(func() {
		<-s.life.Done()
		_ = s.http.Close()
	})
	return s, nil
}

// reachable is an address to connect to: one that listens everywhere is
// reached on this machine by the loopback address.
func reachable(listening net.Addr) string {
	tcp, ok := listening.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return listening.String()
}

// furnish brings back the last run's chats and walls, or the samples.
func (s *Server) furnish() error {
	restored := false
	if s.options.StateFile != "" {
		s.keeper = newStateKeeper(s, s.options.StateFile)
		var err error
		if restored, err = s.keeper.load(); err != nil {
			return err
		}
	}
	if s.options.Samples {
		s.addSamples(restored)
	}
	if s.keeper != nil {
		s.running.Go(s.keeper.run)
	}
	return nil
}

// URL is the address of the page, without a trailing slash.
func (s *Server) URL() string { return s.baseURL }

// TelegramURL is what to give a Bot API client as its server.
func (s *Server) TelegramURL() string { return s.baseURL }

// VKURL is what to give a VK client as its method address, with the trailing
// slash that vksdk needs.
func (s *Server) VKURL() string { return s.baseURL + "/method/" }

// Addr is where the sandbox listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close stops serving, ends hanging calls and writes the state file.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		s.stop()
		s.running.Wait()
		if s.keeper != nil {
			err = s.keeper.save()
		}
	})
	return err
}

// Calls returns the recorded calls that match, oldest first.
func (s *Server) Calls(filter CallFilter) []Call { return s.book.list(filter, 0) }

// WaitForCalls blocks until at least n calls match, or ctx ends, and returns
// those that do, oldest first.
func (s *Server) WaitForCalls(ctx context.Context, filter CallFilter, n int) ([]Call, error) {
	return s.book.wait(ctx, filter, n)
}

// ClearCalls forgets the recorded calls. Seq keeps counting.
func (s *Server) ClearCalls() { s.book.clear() }

// SetFault adds a fault plan and returns its id. It fails only on a plan that
// contradicts itself.
func (s *Server) SetFault(f Fault) (string, error) {
	id, err := s.plan.set(f)
	s.events.post(topicFaults)
	return id, err
}

// Faults lists the plans that are set, with how often each was used.
func (s *Server) Faults() []Fault { return s.plan.list() }

// ClearFault removes one plan; false if there is none with this id.
func (s *Server) ClearFault(id string) bool {
	defer s.events.post(topicFaults)
	return id != "" && s.plan.clear(id)
}

// ClearFaults removes all plans.
func (s *Server) ClearFaults() {
	s.plan.clear("")
	s.events.post(topicFaults)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/method/{method}", s.vk.serve)
	mux.HandleFunc("/upload/{ticket}", s.vk.serveUpload)
	s.controlRoutes(mux)
	s.pageRoutes(mux)
	// ServeMux has no pattern for a token inside a path segment.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bot") {
			s.telegram.serve(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
