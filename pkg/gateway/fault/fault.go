// Package fault holds the error responses, in the four shapes of the service.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"syscall"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Shape is one of the four error bodies of the service [L][O].
type Shape int

const (
	ShapeData       Shape = iota // {errorCode: 100, message}
	ShapeConnection              // {error, message, errorCode: "cn004"}
	ShapeCache                   // {error: "WrongRequestException", message, errorCode: null | text}
	ShapeFramework               // {timestamp, path, status, error: "Not Found", requestId, message?}
)

// Fault is an error response. Handlers return it; the middleware writes it in its shape.
type Fault struct {
	Status  int
	Shape   Shape
	Name    string // "error" of the connection and cache shapes
	Code    string // errorCode, empty for null, or 100 in the data shape
	Message string
	Hint    string              // specific to zone local; in the data shape
	At      *api.Position       // where in the statement, if the message does not say it; specific to zone local
	Cells   *engine.ImportError // lists the errors of a rejected import
	err     error
}

// Error returns the message, with the position in front.
func (f *Fault) Error() string {
	if f.At != nil {
		return f.At.Before(f.Message)
	}
	return f.Message
}
func (f *Fault) Unwrap() error { return f.err }

// Data is the shape of data and query routes.
func Data(status int, format string, args ...any) *Fault {
	return &Fault{Status: status, Shape: ShapeData, Message: fmt.Sprintf(format, args...)}
}

// Connection is the shape of connection routes.
func Connection(status int, name, code, format string, args ...any) *Fault {
	return &Fault{Status: status, Shape: ShapeConnection, Name: name, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Cache is the shape of cache routes.
func Cache(status int, code, format string, args ...any) *Fault {
	return &Fault{Status: status, Shape: ShapeCache, Name: "WrongRequestException", Code: code,
		Message: fmt.Sprintf(format, args...)}
}

// Framework is the shape of errors before a handler: no route, wrong method, invalid body, no permission.
func Framework(status int, format string, args ...any) *Fault {
	return &Fault{Status: status, Shape: ShapeFramework, Message: fmt.Sprintf(format, args...)}
}

// NotSupported is the response of an operation that the local zone cannot implement faithfully; needs names the missing
// requirement.
func NotSupported(op, needs string) *Fault {
	return &Fault{Status: http.StatusNotImplemented, Shape: ShapeCache, Name: "NotSupported",
		Code:    "NOT_SUPPORTED_LOCALLY",
		Message: op + " is not supported on zone local: it requires " + needs}
}

// Of returns the response for any error that a handler returns.
func Of(err error) *Fault {
	var (
		f  *Fault
		ee *engine.Error
		ie *engine.ImportError
		td *tempfile.DirError
		de *damage.Error
		pe *zone.Elsewhere
	)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &de):
		f = Data(500, "%v", err)
		f.Code, f.Hint = api.CodeDamaged, de.Remedy
	case errors.As(err, &pe):
		f = Data(501, "%v", pe)
		f.Hint = pe.Remedy()
	case errors.Is(err, store.ErrUnknown):
		f = Data(500, "%v", err)
		f.Hint = "look whether the change was made before it is repeated"
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrClaimed):
		f = Data(503, "%v", err)
		f.Hint = "nothing was changed: it can be repeated"
	case errors.Is(err, store.ErrText):
		f = Data(400, "%v", err)
	case store.IsDamaged(err):
		f = Data(500, "the state file of the data directory is damaged: %v", err)
		f.Code, f.Hint = api.CodeDamaged, "`dig gateway verify` checks the data directory"
	case errors.Is(err, engine.ErrDropped):
		f = Data(404, "%v", engine.ErrDropped)
	case errors.As(err, &ee):
		f = Data(EngineStatus(ee.Kind), "%s", ee.Message)
		f.Hint = ee.Hint
		if ee.Kind == engine.KindDefect {
			f.Code, f.Hint = api.CodeLasting, "this is a defect of the gateway, and the same call fails again"
		} else if errors.Is(err, engine.ErrUnusable) {
			f.Code = api.CodeUnusable
			if errors.Is(err, fs.ErrNotExist) {
				f.Code = api.CodeMissing
			}
		}
		if ee.Line > 0 { // beside the message: that of the service has no position in front [L]
			f.At = &api.Position{Line: ee.Line, Column: ee.Col}
		}
	case errors.As(err, &ie):
		f = Data(400, "%s", clip.Runes(ie.Error(), 500))
		f.Cells = ie
	case errors.Is(err, store.ErrNotFound):
		f = Data(404, "%v", err)
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrInUse):
		f = Data(409, "%v", err)
	case errors.Is(err, engine.ErrNoEngine):
		f = Framework(501, "%v", err)
	case errors.As(err, &td) && !noSpace(err):
		f = Data(500, "%v", td)
		f.Code, f.Hint = api.CodeLasting, "TMPDIR names the directory for temporary files"
	case noSpace(err):
		f = Framework(507, "no space is left on the disk of the data directory")
	case Silent(err):
		f = Framework(408, "no more data was received for the request body")
	case errors.Is(err, context.DeadlineExceeded):
		f = Data(408, "the request timed out")
	case errors.Is(err, context.Canceled):
		f = Data(499, "the client disconnected")
	default:
		f = Framework(500, "internal error: %v", err)
	}
	f.err = err
	return f
}

func noSpace(err error) bool { return store.IsFull(err) || errors.Is(err, syscall.ENOSPC) }

func EngineStatus(k engine.Kind) int {
	switch k {
	case engine.KindNoFile: // as any other object that does not exist; the hosted zones read no files
		return 404
	case engine.KindTimeout:
		return 408
	case engine.KindLocked: // nothing was done, and an immediate retry would only wait again
		return 409
	case engine.KindInternal, engine.KindDefect:
		return 500
	case engine.KindSource:
		return 502
	case engine.KindFull:
		return 507
	}
	return 400
}

func IsEOF(err error) bool { return errors.Is(err, io.EOF) }

// Silent reports whether reading the body was abandoned because no more data arrived.
func Silent(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// NotFound sets the message of the response for a missing object.
func NotFound(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return Data(404, format, args...)
	}
	return err
}

func Unknown(k engine.Kind, format string, args ...any) error {
	return &engine.Error{Kind: k, Message: Data(400, format, args...).Message}
}

// Missing is the response for a missing required property of a body, in the framework's shape [L].
func Missing(property string) *Fault {
	return Framework(400, "required property %q is missing", property)
}

// BadCells lists the errors of a document in limited space, however long its values are.
func BadCells(cells []engine.BadCell) []api.BadCell {
	return each.Map(cells, func(c engine.BadCell) api.BadCell {
		return api.BadCell{Line: c.Line, Column: c.Column, Value: clip.Runes(c.Value, 80),
			Reason: clip.Runes(c.Reason, 200), First: c.First}
	})
}
