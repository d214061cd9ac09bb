package trino

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

const ScanFunction = "~scan"

func ScanBody(n engine.TableName) string {
	return `SELECT * FROM ` + sqltext.Quote(ScanFunction) + `(` + sqltext.Literal(ScanKey(n)) + `)`
}

// ScanKey identifies a table in the text of a statement: its parts are quoted, since dots may be part of them.
func ScanKey(n engine.TableName) string { return n.Quoted() }

func SourceError(n engine.TableName, err error) error {
	var e *engine.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return &engine.Error{Kind: engine.KindSource, Message: fmt.Sprintf("reading %s: %v", n, err), Err: err}
}
