package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// The addresses for those who watch the gateway. Whether it lives and is ready tells nothing about its data and needs
// no key; the metrics name projects and tables, and need a partner key where callers of all kinds arrive.
const (
	HealthPath  = "/healthz"
	ReadyPath   = "/readyz"
	MetricsPath = "/metrics"
)

func probes(path string) bool { return path == HealthPath || path == ReadyPath || path == MetricsPath }

// readyTime is how long the state file may take to answer.
const readyTime = 2 * time.Second

// Stop makes the gateway not ready: it is about to end.
func (s *Mux) Stop() { s.stopping.Store(true) }

// unready returns why no calls should be sent here, "" if they should.
func (s *Mux) unready(ctx context.Context) string {
	if s.stopping.Load() {
		return "stopping"
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	err := s.Store.Present()
	if err == nil {
		err = s.Store.Ping(ctx)
	}
	if err != nil {
		s.Log.Error("not ready", "error", ForLog(err.Error()))
		return "the state cannot be read"
	}
	return ""
}

func health(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }

func (s *Mux) ready(w http.ResponseWriter, hr *http.Request) {
	why := s.unready(hr.Context())
	if why == "" {
		why = "ok"
	} else {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	io.WriteString(w, why+"\n")
}

// metrics serves the metrics to the holder of a partner key.
func (s *Mux) metrics(w http.ResponseWriter, hr *http.Request) {
	switch {
	case s.Metrics == nil:
		s.noRoute(w, hr)
	case !ScopeOf(hr.Context()).Partner:
		s.Fail(w, hr, fault.Framework(403, "the metrics require a partner key"))
	default:
		s.Metrics.ServeHTTP(w, hr)
	}
}

// Probes serves the addresses for those who watch the gateway, without a key, for a listener of its own.
func (s *Mux) Probes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET "+HealthPath, health)
	m.HandleFunc("GET "+ReadyPath, s.ready)
	if s.Metrics != nil {
		m.Handle("GET "+MetricsPath, s.Metrics)
	}
	return m
}
