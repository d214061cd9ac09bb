package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dig-cli/dig/pkg/api"
)

// What can be omitted.
const (
	OmittedCatalog     = "catalog"           // with its contents
	OmittedColumns     = "columns of"        // a table that is listed nevertheless
	OmittedCategorical = "new categories of" // a column; the earlier ones are returned
)

// Omissions are the omissions of one answer. They are safe for concurrent use.
type Omissions struct {
	mu   sync.Mutex
	list []api.Omission
	told bool
}

// omissionsKey carries the record of one answer, as a trace does: sources add to it from below the engine, whose
// callbacks pass on nothing but a context.
type omissionsKey struct{}

// WithOmissions returns a context for an answer that can report what is missing from it.
func WithOmissions(ctx context.Context) (context.Context, *Omissions) {
	o := &Omissions{}
	return context.WithValue(ctx, omissionsKey{}, o), o
}

// WholeOnly returns a context for an answer from which nothing may be missing.
func WholeOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, omissionsKey{}, (*Omissions)(nil))
}

// Tell returns the omissions, each once. After that no more can be added.
func (o *Omissions) Tell() []api.Omission {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = true
	return o.list
}

// Omit records that something could not be read, so that the work can continue without it. If nobody would see the
// record, as in a stored result or an export, the result is an error: an answer is complete, reports what is missing,
// or fails.
func Omit(ctx context.Context, kind, name string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	whole := fmt.Errorf("%s %s: %w", kind, name, err)
	if e := (*Error)(nil); errors.As(err, &e) {
		whole = &Error{Kind: e.Kind, Message: kind + " " + name + ": " + e.Message, Err: err}
	}
	o, _ := ctx.Value(omissionsKey{}).(*Omissions)
	if o == nil {
		return whole
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told {
		return whole
	}
	if m := (api.Omission{Kind: kind, Name: name, Reason: err.Error()}); !slices.Contains(o.list, m) {
		o.list = append(o.list, m)
	}
	return nil
}
