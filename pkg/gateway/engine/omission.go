package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dig-cli/dig/pkg/api"
)

// What can be left out.
const (
	OmittedCatalog     = "catalog"           // with all that is in it
	OmittedColumns     = "columns of"        // a table that is listed all the same
	OmittedCategorical = "new categories of" // a column, for which those found before are told
)

// Omissions are those of one answer. They are safe for concurrent use.
type Omissions struct {
	mu   sync.Mutex
	list []api.Omission
	told bool
}

type omissionsKey struct{}

// WithOmissions is a context whose answer can tell what it lacks.
func WithOmissions(ctx context.Context) (context.Context, *Omissions) {
	o := &Omissions{}
	return context.WithValue(ctx, omissionsKey{}, o), o
}

// WholeOnly is a context whose answer may lack nothing.
func WholeOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, omissionsKey{}, (*Omissions)(nil))
}

// Tell returns the omissions, each once. From now on there can be no more.
func (o *Omissions) Tell() []api.Omission {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = true
	return o.list
}

// Omit goes on without something that could not be read, and notes it for whoever gets the answer. Where nobody would learn of it, as in a
// stored result or an export, the error stays one: an answer is whole, or says what it lacks, or is none.
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
