package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// shape is one of the four error bodies of the service [L][O].
type shape int

const (
	shapeData       shape = iota // {errorCode: 100, message}
	shapeConnection              // {error, message, errorCode: "cn004"}
	shapeCache                   // {error: "WrongRequestException", message, errorCode: null | text}
	shapeFramework               // {timestamp, path, status, error: "Not Found", requestId, message?}
)

// Fault is an answer with an error status. Handlers return it; the middleware writes it in its shape.
type Fault struct {
	Status  int
	shape   shape
	Name    string // "error" of the connection and cache shapes
	Code    string // errorCode of the connection and cache shapes, empty for null
	Message string
	cells   *engine.ImportError // lists what is wrong with a refused import
	err     error
}

func (f *Fault) Error() string { return f.Message }
func (f *Fault) Unwrap() error { return f.err }

// dataFault is the shape of data and query routes.
func dataFault(status int, format string, args ...any) *Fault {
	return &Fault{Status: status, shape: shapeData, Message: fmt.Sprintf(format, args...)}
}

// connectionFault is the shape of connection routes.
func connectionFault(status int, name, code, format string, args ...any) *Fault {
	return &Fault{Status: status, shape: shapeConnection, Name: name, Code: code, Message: fmt.Sprintf(format, args...)}
}

// cacheFault is the shape of cache routes.
func cacheFault(status int, code, format string, args ...any) *Fault {
	return &Fault{Status: status, shape: shapeCache, Name: "WrongRequestException", Code: code, Message: fmt.Sprintf(format, args...)}
}

// frameworkFault is the shape of faults met before a handler: no route, wrong verb, unusable body, no right.
func frameworkFault(status int, format string, args ...any) *Fault {
	return &Fault{Status: status, shape: shapeFramework, Message: fmt.Sprintf(format, args...)}
}

// notSupported is the answer of an operation that the local zone cannot do honestly; needs says what would be needed.
func notSupported(op, needs string) *Fault {
	return &Fault{Status: http.StatusNotImplemented, shape: shapeCache, Name: "NotSupported", Code: "NOT_SUPPORTED_LOCALLY",
		Message: op + " is not supported on zone local: it needs " + needs}
}

// faultOf finds the answer for any error a handler returns.
func faultOf(err error) *Fault {
	var (
		f  *Fault
		ee *engine.Error
		ie *engine.ImportError
	)
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, engine.ErrDropped):
		f = dataFault(404, "%v", engine.ErrDropped)
	case errors.As(err, &ee):
		f = dataFault(engineStatus(ee.Kind), "%s", ee.Message)
		if ee.Line > 0 {
			f.Message = fmt.Sprintf("line %d:%d: %s", ee.Line, ee.Col, ee.Message)
		}
	case errors.As(err, &ie):
		f = dataFault(400, "%s", clip(ie.Error(), 500))
		f.cells = ie
	case errors.Is(err, store.ErrNotFound):
		f = dataFault(404, "%v", err)
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrInUse):
		f = dataFault(409, "%v", err)
	case errors.Is(err, engine.ErrNoEngine):
		f = frameworkFault(501, "%v", err)
	case noSpace(err):
		f = frameworkFault(507, "no space is left on the disk of the data directory")
	case silent(err):
		f = frameworkFault(408, "the request body stopped coming")
	case errors.Is(err, context.DeadlineExceeded):
		f = dataFault(408, "the request ran out of time")
	case errors.Is(err, context.Canceled):
		f = dataFault(499, "the client went away")
	default:
		f = frameworkFault(500, "internal error: %v", err)
	}
	f.err = err
	return f
}

func noSpace(err error) bool { return store.IsFull(err) || errors.Is(err, syscall.ENOSPC) }

func engineStatus(k engine.Kind) int {
	switch k {
	case engine.KindTimeout:
		return 408
	case engine.KindLocked: // nothing was done, and asking again at once would only wait again
		return 409
	case engine.KindInternal:
		return 500
	case engine.KindSource:
		return 502
	case engine.KindFull:
		return 507
	}
	return 400
}
