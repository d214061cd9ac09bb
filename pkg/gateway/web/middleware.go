package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/google/uuid"
)

// Keys of values in the context of a request, which handlers, hooks and the log read. SourceKey is set by the server
// for each connection or by the transport within the process, RequestKey by Middleware.
type (
	SourceKey  struct{} // where the call was received, see Scope.Source
	RequestKey struct{} // the id of the request
)

const (
	SourceProcess = "process"
	SourceSocket  = "socket"
	SourceTCP     = "tcp"
)

// Middleware wraps the router: request id, recovery, one log line without secrets, authentication.
func (s *Mux) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		id := uuid.NewString()[:8]
		sw := &StatusWriter{ResponseWriter: w, stall: s.Limits.Stall}
		defer s.replies.add(sw)()
		sw.Header().Set("X-Request-Id", id)
		if s.stopping.Load() { // the next call of this connection is for another gateway
			sw.Header().Set("Connection", "close")
		}
		call := &Call{ID: id, Method: hr.Method, Path: hr.URL.Path, Parent: hr.Header.Get("traceparent"),
			Start: s.Now()}
		if host, _, err := net.SplitHostPort(hr.RemoteAddr); err == nil {
			call.Remote = host
		}
		ctx := context.WithValue(hr.Context(), RequestKey{}, id)
		ctx, lacks := engine.WithOmissions(context.WithValue(ctx, callKey{}, call))
		sw.lacks = lacks
		hr = hr.WithContext(ctx)
		address := *hr.URL
		hr.URL = &address
		plain := plainPath(hr.URL)
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.Log.Error("panic", "request", id, "panic", ForLog(fmt.Sprint(p)), "stack", string(debug.Stack()))
				if sw.Status == 0 {
					s.Fail(sw, hr, fault.Framework(500, "internal error"))
					p = nil
				} else {
					// the reply has started: abort it, so that it cannot be mistaken for a complete one
					p = http.ErrAbortHandler
				}
			}
			call.Aborted = p != nil
			call.Path, call.Status, call.Sent, call.Took = hr.URL.Path, sw.Status, sw.bytes, s.Now().Sub(call.Start)
			s.ended(call)
			if p != nil {
				panic(p)
			}
		}()
		// who asks for health needs no key, and is not told where the data are
		if err := s.Store.Present(); err != nil && hr.URL.Path != HealthPath && hr.URL.Path != ReadyPath {
			s.Fail(sw, hr, err)
			return
		}
		if s.cors(sw, hr) {
			return
		}
		if !s.public(hr) {
			scope, err := s.authenticate(hr)
			call.Source = scope.Source
			if err != nil {
				s.Fail(sw, hr, err)
				return
			}
			hr = hr.WithContext(context.WithValue(ctx, scopeKey{}, scope))
		}
		if !probes(hr.URL.Path) {
			defer s.Called()()
		}
		if hr.Body != nil && hr.Body != http.NoBody {
			hr.Body = countedBody{hr.Body, call}
		}
		s.patient(sw, hr)
		if !plain {
			s.noRoute(sw, hr)
			return
		}
		next.ServeHTTP(sw, hr)
	})
}

// Fail writes the error body of a fault. After the first byte of a reply it aborts the connection instead.
func (s *Mux) Fail(w http.ResponseWriter, hr *http.Request, err error) {
	if sw, ok := w.(*StatusWriter); ok && sw.Status != 0 {
		if why := sw.given(); why != nil {
			err = why
		}
		if !errors.Is(err, context.Canceled) {
			s.Log.Warn("reply aborted", "request", hr.Context().Value(RequestKey{}), "error", ForLog(err.Error()))
		}
		if pw, ok := sw.ResponseWriter.(*PipeWriter); ok {
			pw.Why = fault.Of(err).Error()
		}
		panic(http.ErrAbortHandler)
	}
	f := fault.Of(err)
	if f.Status >= 500 && f.Status != 501 {
		s.Log.Error("fault", "request", hr.Context().Value(RequestKey{}), "error", ForLog(err.Error()))
	}
	var body any
	null := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	switch f.Shape {
	case fault.ShapeData:
		members := map[string]any{"errorCode": 100, "message": f.Message}
		if f.Cells != nil && len(f.Cells.Cells) > 0 {
			members["badCells"], members["badCellsTotal"] = fault.BadCells(f.Cells.Cells), f.Cells.Total
		}
		if f.Code != "" {
			members["errorCode"] = f.Code
		}
		if f.Hint != "" {
			members["hint"] = f.Hint
		}
		if f.At != nil {
			members["position"] = f.At
		}
		body = members
	case fault.ShapeFramework:
		body = struct {
			Timestamp string `json:"timestamp"`
			Path      string `json:"path"`
			Status    int    `json:"status"`
			Error     string `json:"error"`
			RequestID any    `json:"requestId"`
			Message   string `json:"message,omitempty"`
		}{store.Time(s.Now()), hr.URL.Path, f.Status, http.StatusText(f.Status), hr.Context().Value(RequestKey{}),
			f.Message}
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
