//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/native"
)

// show implements the statements that list names, with a SELECT over rows collected here; ok is false for other statements.
func (s *statement) show(ctx context.Context, tokens []native.Token) (text string, ok bool, err error) {
	l, err := native.ReadListing(tokens)
	switch {
	case err != nil || l == nil:
		return "", err != nil, err
	case l.What == "Column":
		text, err = s.ColumnsText(ctx, engine.FullName(l.Names), l.Like)
		return text, true, native.PlaceName(err, l.At)
	}
	text, err = s.NamesText(ctx, l.What, l.Names, l.Like)
	return text, true, err
}
