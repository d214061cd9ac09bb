// Package sources stores connections and their credentials, and opens the sources behind them.
package sources

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Fault formats an error of the source: with the connection's name, without its secrets.
func (s *Source) Fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var ee *engine.Error
	if errors.As(err, &ee) {
		return err
	}
	kind := engine.KindSource
	if errors.Is(err, engine.ErrContent) {
		kind = engine.KindData
	}
	return &engine.Error{Kind: kind, Message: fmt.Sprintf("connection %s (%s): %s", s.conn.Name, s.Typ.Key,
		s.Typ.Redact(s.cred, err.Error()))}
}
