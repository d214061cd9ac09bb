package hosted

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// DownloadOp names the downloads of export files, which are not an operation of the specification.
const DownloadOp = "download"

// Injected wraps the handler of an operation in the configured faults.
func (in *Injection) Injected(g *web.Mux, op string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		sw, ok := w.(*web.StatusWriter)
		if !ok {
			sw = &web.StatusWriter{ResponseWriter: w}
		}
		cut := false // the reply must not end like a complete one
		for _, s := range in.draw(op, "") {
			g.Log.Info("fault injected", "request", hr.Context().Value(web.RequestKey{}), "op", op, "fault",
				s.mode+"="+s.value)
			switch s.mode {
			case faultLatency:
				in.sleep(hr.Context(), s.wait)
			case faultStatus, faultDrop:
				if s.after {
					next(&web.StatusWriter{ResponseWriter: discardWriter{http.Header{}}}, hr)
				}
				if s.mode == faultDrop {
					panic(http.ErrAbortHandler)
				}
				if s.retryAfter >= 0 {
					sw.Header().Set("Retry-After", strconv.Itoa(s.retryAfter))
				}
				g.Fail(sw, hr, fault.Framework(s.status, "injected fault: %d %s", s.status, http.StatusText(s.status)))
				return
			case faultTruncate:
				sw.ResponseWriter = &shortWriter{ResponseWriter: sw.ResponseWriter, left: s.bytes,
					clean: s.end, cut: &cut}
			case faultStall:
				held := &stallWriter{ResponseWriter: sw.ResponseWriter, left: s.bytes, until: hr.Context().Done(),
					free: in.free}
				sw.ResponseWriter = held
				defer held.hold() // a shorter reply is held before its end
				cut = true
			}
		}
		next(sw, hr)
		if cut {
			_ = http.NewResponseController(sw.ResponseWriter).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}

func (in *Injection) sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-in.free:
	}
}

// Stalls blocks a job of a kind until the gateway stops, and reports whether it did. The job is recorded as running
// then, and the next process ends it as interrupted.
func (in *Injection) Stalls(ctx context.Context, log *slog.Logger, job string) bool {
	if len(in.draw("", job)) == 0 {
		return false
	}
	log.Info("fault injected", "job", job, "fault", "stall=job")
	select {
	case <-ctx.Done():
	case <-in.free:
	}
	return true
}

var errInjected = errors.New("injected fault: the reply is truncated")

// shortWriter passes a limited number of bytes.
type shortWriter struct {
	http.ResponseWriter
	left  int64
	clean bool
	cut   *bool
}

func (w *shortWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		n, err := w.ResponseWriter.Write(p)
		w.left -= int64(n)
		return n, err
	}
	_, err := w.ResponseWriter.Write(p[:w.left])
	w.left = 0
	if w.clean {
		return len(p), err // the handler ends its reply normally
	}
	*w.cut = true
	return 0, errInjected
}

func (w *shortWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// stallWriter blocks a reply after a number of bytes.
type stallWriter struct {
	http.ResponseWriter
	left        int64
	until, free <-chan struct{}
}

func (w *stallWriter) hold() {
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	select {
	case <-w.until:
	case <-w.free:
	}
}

func (w *stallWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		n, err := w.ResponseWriter.Write(p)
		w.left -= int64(n)
		return n, err
	}
	if _, err := w.ResponseWriter.Write(p[:w.left]); err != nil {
		return 0, err
	}
	w.hold()
	return 0, errInjected
}

func (w *stallWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// discardWriter discards a reply.
type discardWriter struct{ header http.Header }

func (w discardWriter) Header() http.Header         { return w.header }
func (w discardWriter) WriteHeader(int)             {}
func (w discardWriter) Write(p []byte) (int, error) { return len(p), nil }
