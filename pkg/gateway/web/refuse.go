package web

import (
	"context"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// Requirements of the agent's operations. Zone local has no model, so operations that start a conversation are
// rejected. Lists of conversations are empty, and every operation on a conversation reports that it does not exist.

const (
	NeedsModel = "a language model"
)

// Refuse is the handler of an operation that zone local does not support. The body is not read, since its contents are
// irrelevant.
func Refuse[T any](needs string) func(context.Context, *Request[io.Reader]) (T, error) {
	return func(_ context.Context, r *Request[io.Reader]) (out T, err error) {
		return out, fault.NotSupported(r.Op.ID, needs)
	}
}
