package web

import (
	"context"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// What an operation of the agent would need. Zone local has no model, so no conversation can begin: those operations are
// refused. The lists of conversations are truly empty, and naming one is naming something that does not exist.

const (
	NeedsModel = "a language model"
)

// Refuse is the handler of an operation that zone local cannot do. The body is not read: what it holds makes no difference.
func Refuse[T any](needs string) func(context.Context, *Request[io.Reader]) (T, error) {
	return func(_ context.Context, r *Request[io.Reader]) (out T, err error) {
		return out, fault.NotSupported(r.Op.ID, needs)
	}
}
