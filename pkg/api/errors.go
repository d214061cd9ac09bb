package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/dig-cli/dig/pkg/outcome"
)

// Kind classifies failures of a call, independent of the shape the gateway gave them. Branch on it, never on text.
type Kind string

// The classes of failure.
const (
	KindInvalid      Kind = "invalid"       // the request is invalid (400, 413, 415, 422)
	KindUnauthorized Kind = "unauthorized"  // no key or an unknown key (401)
	KindForbidden    Kind = "forbidden"     // the key lacks the permission (403)
	KindNotFound     Kind = "not-found"     // 404, and the 400 answers that mean it [L]
	KindConflict     Kind = "conflict"      // 409, and the 400 answers that mean it
	KindNotSupported Kind = "not-supported" // 501, and routes that the gateway does not have (405, 404 without a route)
	KindUnavailable  Kind = "unavailable"   // 429, 5xx, or no connection: a retry may help
	KindFull         Kind = "disk-full"     // 507: nothing works before there is space
	KindDamaged      Kind = "damaged"       // the data of the gateway must be repaired
	KindTimeout      Kind = "timeout"       // no complete answer in time
	KindProtocol     Kind = "protocol"      // a reply that is not from a gateway
)

// CodeDamaged is the errorCode of zone local for data that must be repaired; the hint says how.
const CodeDamaged = "LOCAL_DATA_DAMAGED"

// CodeUnusable is the errorCode of zone local for a source that cannot be read until something is changed.
const CodeUnusable = "LOCAL_SOURCE_UNUSABLE"

// CodeMissing is that of a source whose file or folder does not exist.
const CodeMissing = "LOCAL_SOURCE_MISSING"

// CodeUnchanged is the errorCode of zone local for a failure of something else before anything was changed.
const CodeUnchanged = "LOCAL_UNCHANGED"

// CodeLasting is the errorCode of zone local for an error of its own with which the same call ends until the program or
// a setting is changed.
const CodeLasting = "LOCAL_LASTING"

// Error is a failed call. The service uses four shapes of error bodies [L][O]; all of them, and bodies that are not
// JSON, are converted to this type.
type Error struct {
	Kind    Kind
	Status  int // HTTP status, 0 if there was no reply
	Method  string
	URL     string
	Code    string // errorCode as text ("100", "cn004", "TABLE_NOT_CACHEABLE"), empty if absent or null
	Name    string // the "error" member ("INVALID_CREDENTIALS", "Not Found"), empty if absent
	Message string // the gateway's message, or what happened to the connection
	Hint    string // what to try, may be empty
	Raw     []byte // the body as received, at most 256 KiB
	Header  http.Header
	Err     error           // the cause, for connection failures
	Request string          // id of the request, by which the gateway's operators can find it; may be empty
	Trace   string          // the same for a trace
	Outcome outcome.Outcome // what is known of the request
	Unsure  bool            // the request was to change something, and its Outcome is Unknown

	BadCells      []BadCell // of a rejected import: the first 100 values that do not fit; only zone local lists them
	BadCellsTotal int64     // total number found
}

// BadCell is a value of a CSV document that does not fit its column.
type BadCell struct {
	Line   int64  `json:"line,omitempty"`   // 1-based line at which the record starts
	Row    int64  `json:"row,omitempty"`    // instead of Line if the file is not CSV
	Column string `json:"column,omitempty"` // empty for an error of the whole record
	Value  string `json:"value,omitempty"`  // at most its first 80 characters
	Reason string `json:"reason"`
	First  int64  `json:"first,omitempty"` // the line of an earlier record that Reason names
}

func (e *Error) Error() string {
	if e.Status == 0 || e.Status == 200 {
		return e.Message
	}
	return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// RequestOutcome is the Outcome, for outcome.Of.
func (e *Error) RequestOutcome() outcome.Outcome { return e.Outcome }

// ReadError converts a reply with an error status to an *Error. It does not close the body.
func ReadError(method, url string, rep *Reply) *Error {
	e := &Error{Status: rep.Status, Method: method, URL: url, Header: rep.Header, Outcome: outcome.OfStatus(rep.Status)}
	e.Raw, _ = io.ReadAll(io.LimitReader(rep.Body, 256<<10))
	e.read(e.Raw)
	if e.Request == "" {
		e.Request = cmp.Or(rep.Header.Get("X-Request-Id"), rep.Header.Get("X-Amzn-Requestid"),
			rep.Header.Get("X-Correlation-Id"))
	}
	if e.Trace == "" {
		e.Trace = cmp.Or(rep.Header.Get("X-Trace-Id"), rep.Header.Get("X-B3-Traceid"),
			traceOf(rep.Header.Get("Traceparent")))
	}
	if e.Message == "" {
		e.Message = defaultMessage(e.Status, e.Raw)
	}
	classify(e)
	if rep.change {
		e.ofChange()
	}
	return e
}

// traceOf extracts the trace id from a header of the form version-trace-span-flags.
func traceOf(parent string) string {
	if parts := strings.Split(parent, "-"); len(parts) == 4 {
		return parts[1]
	}
	return ""
}

// Position is a place in a statement; the first is line 1, column 1.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Before returns a message with the position in front, in the form of Trino.
func (p Position) Before(message string) string {
	return fmt.Sprintf("line %d:%d: %s", p.Line, p.Column, message)
}

// read parses the body of an error, in any of its shapes.
func (e *Error) read(raw []byte) {
	var body struct {
		Error     json.RawMessage `json:"error"`
		ErrorCode json.RawMessage `json:"errorCode"`
		Code      json.RawMessage `json:"code"`
		Message   string          `json:"message"`
		Reason    string          `json:"reason"`
		BadCells  []BadCell       `json:"badCells"`
		Total     int64           `json:"badCellsTotal"`
		RequestID json.RawMessage `json:"requestId"`
		TraceID   json.RawMessage `json:"traceId"`
		Hint      json.RawMessage `json:"hint"` // only zone local gives one
		Position  *Position       `json:"position"`
	}
	if json.Unmarshal(raw, &body) == nil {
		e.Code = jsonText(body.ErrorCode)
		if e.Code == "" {
			e.Code = jsonText(body.Code)
		}
		e.Name, e.Request, e.Trace = jsonText(body.Error), jsonText(body.RequestID), jsonText(body.TraceID)
		e.BadCells, e.BadCellsTotal = body.BadCells, body.Total
		if hint := jsonText(body.Hint); len(hint) <= maxHint {
			e.Hint = hint
		}
		e.Message = body.Message
		if e.Message == "" {
			e.Message = body.Reason
		}
		if e.Message == "" {
			e.Message = e.Name
		}
		e.Message = WithoutInsides(e.Message)
		if p := body.Position; p != nil && p.Line > 0 && p.Column > 0 {
			e.Message = p.Before(e.Message)
		}
	}
}

// maxHint is the length in bytes of the longest hint of a gateway that is passed on.
const maxHint = 1000

func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if t := string(raw); t != "null" {
		return t
	}
	return ""
}

func defaultMessage(status int, raw []byte) string {
	s := fmt.Sprintf("the gateway answered %d %s", status, http.StatusText(status))
	t := strings.TrimSpace(string(raw))
	switch {
	case t == "":
		return s + " without a message"
	case strings.HasPrefix(t, "<"):
		return s + " with a web page instead of JSON"
	case len(t) < 200 && !strings.ContainsAny(t, "{}\n"):
		return s + ": " + t
	}
	return s
}

// classify sets Kind and Hint. Missing queries and connections are 400 on the hosted service, missing caches 400 or 404
// [L].
func classify(e *Error) {
	msg := strings.ToLower(e.Message)
	if e.Code == CodeUnusable || e.Code == CodeMissing || e.Code == CodeUnchanged { // sources are read before a change
		e.Outcome = outcome.Refused
	}
	switch {
	case e.Status == 401:
		e.Kind = KindUnauthorized
	case e.Status == 403:
		e.Kind = KindForbidden
	case e.Status == 404 || e.Name == "INVALID_CONNECTION_ID" ||
		e.Status == 400 && (strings.HasPrefix(msg, "there is no ") || strings.HasPrefix(msg,
			"cache settings not found") || missingTable(e.URL, msg)):
		e.Kind = KindNotFound
	case e.Status == 409 || e.Status == 400 && strings.Contains(msg, "already exists"):
		e.Kind = KindConflict
	case e.Status == 408 || e.Status == 504:
		e.Kind = KindTimeout
	case e.Status == 405 || e.Status == 501:
		e.Kind = KindNotSupported
	case e.Status == http.StatusInsufficientStorage:
		e.Kind = KindFull
	case e.Code == CodeDamaged:
		e.Kind, e.Outcome = KindDamaged, outcome.Refused
	case e.Status == 429 || e.Status >= 500:
		e.Kind = KindUnavailable
	case e.Status >= 300 && e.Status < 400:
		e.Kind = KindProtocol
		if e.Status == http.StatusNotModified { // no redirect
			break
		}
		where := ""
		if to := e.Header.Get("Location"); to != "" {
			where = " to " + to
		}
		e.Message = "the address redirects" + where + "; a key is never sent across a redirect"
		e.Hint = "set the base address to the actual address of the gateway"
	default:
		e.Kind = KindInvalid
	}
}

// missingTable reports whether a call for an internal table, not a statement that refers to one, found no such table or
// column.
func missingTable(url, msg string) bool {
	return (strings.Contains(url, "/table/") || strings.Contains(url, "/bitable/")) &&
		(strings.HasPrefix(msg, "table '") && strings.HasSuffix(msg, "' does not exist") || strings.HasPrefix(msg,
			`column "`) && strings.Contains(msg, `" does not exist in table "`))
}

// transportError explains why there is no complete answer.
func transportError(ctx context.Context, method, url string, err error) error {
	e := &Error{Kind: KindUnavailable, Method: method, URL: url, Err: err, Outcome: outcome.Of(err)}
	host := hostOf(url)
	var (
		dns    *net.DNSError
		cert   *tls.CertificateVerificationError
		x509u  x509.UnknownAuthorityError
		header tls.RecordHeaderError
		path   *fs.PathError
		proxy  *net.OpError
		own    *Error
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(context.Cause(ctx), errCallTimeout):
		e.Kind, e.Message, e.Hint = KindTimeout, "no complete answer from "+host+" within the time limit",
			"raise --timeout, or try again"
	case errors.Is(err, context.Canceled):
		if e.Outcome == outcome.NotSent {
			return outcome.Unsent(context.Canceled)
		}
		return context.Canceled
	case errors.As(err, &proxy) && proxy.Op == "proxyconnect":
		e.Err = errors.Join(ErrProxy, err)
		e.Message, e.Hint = "the proxy "+proxyOf(proxy)+" cannot be reached, so "+host+" was not contacted: "+
			root(err).Error(), "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case ctx.Err() == nil && phaseError(e, host, err):
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message, e.Hint = KindTimeout, "no complete answer from "+host+" in time",
			"raise --timeout, or try again"
	case errors.As(err, &dns):
		e.Message, e.Hint = "cannot find the host "+host, "check the base address and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message, e.Hint = "nothing answers at "+host, "check the base address and that the gateway is running"
	case errors.As(err, &cert) || errors.As(err, &x509u):
		e.Message, e.Hint = "the certificate of "+host+" cannot be verified: "+root(err).Error(),
			"dig does not skip verification; set ca-file in the profile (DIG_CA_FILE) to the certificate of the "+
				"authority, or add it to the system's trust store"
	case errors.As(err, &header) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Message, e.Hint = host+" does not speak TLS", "use http:// for a gateway on this machine"
	case closed(err):
		e.Message, e.Hint = host+" closed the connection before the reply was complete", "try again"
	case errors.As(err, &path): // the error of a gateway in this process, or of a socket
		e.Message, e.Hint = "cannot reach "+host+": "+path.Error(),
			"check the directory and the setting that names it, such as DIG_DATA_DIR"
	case e.Outcome == outcome.Unknown:
		e.Message, e.Hint = "the connection to "+host+" failed before the reply was complete: "+root(err).Error(),
			"try again"
	default:
		e.Message = "cannot reach " + host + ": " + root(err).Error()
	}
	return e
}

// closed reports whether the other side closed the connection, for the wording of an error.
func closed(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed},
		func(end error) bool { return errors.Is(err, end) })
}

// proxyOf returns the proxy of a failed connection, if the error contains it.
func proxyOf(err *net.OpError) string {
	var (
		dial *net.OpError
		dns  *net.DNSError
	)
	switch {
	case errors.As(err.Err, &dns):
		return dns.Name
	case errors.As(err.Err, &dial) && dial.Addr != nil:
		return dial.Addr.String()
	}
	return "of the environment"
}

func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
