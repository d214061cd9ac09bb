package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/google/uuid"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

type (
	sourceKey  struct{}
	requestKey struct{}
)

const (
	sourceProcess = "process"
	sourceSocket  = "socket"
	sourceTCP     = "tcp"
)

// middleware wraps the router: request id, recovery, one log line without secrets, authentication.
func (g *webService) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		id := uuid.NewString()[:8]
		sw := &statusWriter{ResponseWriter: w, stall: g.limits.Stall}
		defer sw.end()
		sw.Header().Set("X-Request-Id", id)
		start := g.now()
		ctx, lacks := engine.WithOmissions(context.WithValue(hr.Context(), requestKey{}, id))
		sw.lacks = lacks
		hr = hr.WithContext(ctx)
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				g.log.Error("panic", "request", id, "panic", forLog(fmt.Sprint(p)), "stack", string(debug.Stack()))
				if sw.status == 0 {
					g.fail(sw, hr, frameworkFault(500, "internal error"))
					p = nil
				} else {
					p = http.ErrAbortHandler // the reply has begun: cut it, so that it cannot pass for a complete one
				}
			}
			g.log.Info("request", "id", id, "method", hr.Method, "path", hr.URL.Path, "status", sw.status, "bytes", sw.bytes,
				"ms", g.now().Sub(start).Milliseconds())
			if p != nil {
				panic(p)
			}
		}()
		if hr.URL.Path != "/healthz" && hr.URL.Path != documentPath && !g.isFile(hr) {
			scope, err := g.authenticate(hr)
			if err != nil {
				g.fail(sw, hr, err)
				return
			}
			hr = hr.WithContext(context.WithValue(ctx, scopeKey{}, scope))
		}
		if hr.URL.Path != "/healthz" {
			defer g.called()()
		}
		g.patient(sw, hr)
		next.ServeHTTP(sw, hr)
	})
}

// fail writes the error body of a fault. After the first byte of a reply it cuts the connection instead.
func (g *webService) fail(w http.ResponseWriter, hr *http.Request, err error) {
	if sw, ok := w.(*statusWriter); ok && sw.status != 0 {
		if !errors.Is(err, context.Canceled) {
			g.log.Warn("reply cut", "request", hr.Context().Value(requestKey{}), "error", forLog(err.Error()))
		}
		if pw, ok := sw.ResponseWriter.(*pipeWriter); ok {
			pw.why = faultOf(err).Message
		}
		panic(http.ErrAbortHandler)
	}
	f := faultOf(err)
	if f.Status >= 500 && f.Status != 501 {
		g.log.Error("fault", "request", hr.Context().Value(requestKey{}), "error", forLog(err.Error()))
	}
	var body any
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch f.shape {
	case shapeData:
		members := map[string]any{"errorCode": 100, "message": f.Message}
		if f.cells != nil && len(f.cells.Cells) > 0 {
			members["badCells"], members["badCellsTotal"] = badCells(f.cells.Cells), f.cells.Total
		}
		body = members
	case shapeFramework:
		body = struct {
			Timestamp string `json:"timestamp"`
			Path      string `json:"path"`
			Status    int    `json:"status"`
			Error     string `json:"error"`
			RequestID any    `json:"requestId"`
			Message   string `json:"message,omitempty"`
		}{store.Time(g.now()), hr.URL.Path, f.Status, http.StatusText(f.Status), hr.Context().Value(requestKey{}), f.Message}
	default:
		body = struct {
			Error     string `json:"error"`
			Message   string `json:"message"`
			ErrorCode any    `json:"errorCode"`
		}{f.Name, f.Message, null(f.Code)}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		raw = []byte(`{"errorCode":100,"message":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	w.Write(raw)
}
