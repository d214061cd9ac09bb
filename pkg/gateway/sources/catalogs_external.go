// Package sources stores connections and their credentials, and opens the sources behind them.
package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

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
	out := &engine.Error{Kind: engine.KindSource, Message: fmt.Sprintf("connection %s (%s): %s", s.conn.Name,
		s.Typ.Key, s.Typ.Redact(s.cred, err.Error()))}
	switch {
	case errors.Is(err, engine.ErrContent):
		out.Kind = engine.KindData
	case errors.Is(err, engine.ErrUnusable):
		out.Err = engine.ErrUnusable
		if s.Typ.Local() && errors.Is(err, fs.ErrNotExist) {
			out.Err = engine.Unusable(fs.ErrNotExist)
		}
	}
	return out
}
