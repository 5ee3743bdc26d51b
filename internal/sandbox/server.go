package sandbox

import (
	"cmp"
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

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/page"
	"vestnik/internal/sandbox/telegram"
	"vestnik/internal/sandbox/vk"
)

// Server is a running sandbox: calls, faults and pictures, with Telegram and VK.
type Server struct {
	*core.Core
	*telegramPlatform
	*vkPlatform

	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc
	closing  sync.Once
	state    *stateFile // nil if none is kept

	sampleMutex sync.Mutex
	nextSample  int
}

// Names under which both platforms fit into one struct.
type (
	telegramPlatform = telegram.Platform
	vkPlatform       = vk.Platform
)

// Start listens and serves until ctx ends or Close is called.
func Start(ctx context.Context, options Options) (*Server, error) {
	options.Addr = cmp.Or(options.Addr, "127.0.0.1:0")
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", options.Addr)
	if err != nil {
		return nil, fmt.Errorf("sandbox: can't listen on %s (is another sandbox running there?): %w", options.Addr, err)
	}
	s := &Server{listener: listener}
	life, stop := context.WithCancel(ctx)
	s.stop = stop
	s.Core = core.New(life, "http://"+reachable(listener.Addr()), options)
	s.telegramPlatform = telegram.New(s.Core, GuideBotToken)
	s.vkPlatform = vk.New(s.Core)
	if err := s.fill(); err != nil {
		s.stop()
		return nil, errors.Join(err, listener.Close())
	}
	s.http = &http.Server{
		Handler: guard(s.routes(), s.BaseURL, !servedHost(listener.Addr().String(), "", false)), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return life },
	}
	s.Running.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.Log.Error("sandbox stopped serving", "error", err)
		}
	})
	s.Running.Go(func() {
		<-life.Done()
		_ = s.http.Close()
	})
	return s, nil
}

// reachable is an address to connect to: one that listens everywhere is reached on this machine by the loopback
// address.
func reachable(listening net.Addr) string {
	tcp, ok := listening.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return listening.String()
}

// fill brings back the last run's chats and walls, or the samples.
func (s *Server) fill() error {
	restored := false
	if s.Options.StateFile != "" {
		s.state = &stateFile{server: s, path: s.Options.StateFile, news: s.Listen()}
		var err error
		if restored, err = s.state.load(); err != nil {
			return err
		}
	}
	if s.Options.Samples {
		if err := s.addSamples(restored); err != nil {
			return err
		}
	}
	if s.state != nil {
		s.Running.Go(s.state.run)
	}
	return nil
}

// TelegramURL is what to give a Bot API client as its server.
func (s *Server) TelegramURL() string { return s.BaseURL }

// VKURL is what to give a VK client as its method address, with the trailing slash that vksdk needs.
func (s *Server) VKURL() string { return s.BaseURL + "/method/" }

// Addr is where the sandbox listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close stops serving, ends hanging calls and writes the state file.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		s.stop()
		s.Running.Wait()
		if s.state != nil {
			err = s.state.save()
		}
	})
	return err
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/method/{method}", s.vkPlatform)
	mux.HandleFunc("/upload/{ticket}", s.ServeUpload)
	s.Core.Control(mux)
	core.Handle(mux, "GET /sandbox/state", func(core.Request, core.None) (any, error) {
		return map[string]any{"url": s.URL(), "telegram_api_url": s.TelegramURL(), "vk_api_url": s.VKURL(),
			"chats": s.Chats(), "walls": s.Walls(), "faults": s.Faults()}, nil
	})
	s.telegramPlatform.Control(mux)
	s.vkPlatform.Control(mux)
	page.New(s.Core, s.telegramPlatform, s.vkPlatform, s.publishSample).Routes(mux)
	// ServeMux has no pattern for a token inside a path segment.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bot") {
			s.telegramPlatform.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
