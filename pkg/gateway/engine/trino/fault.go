package trino

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/late"
)

// kinds are the classes of Trino's errors, by their names. The others are classed by their type.
var kinds = map[string]engine.Kind{
	"SYNTAX_ERROR":           engine.KindSyntax,
	"CATALOG_NOT_FOUND":      engine.KindUnknownCatalog,
	"SCHEMA_NOT_FOUND":       engine.KindUnknownSchema,
	"TABLE_NOT_FOUND":        engine.KindUnknownTable,
	"COLUMN_NOT_FOUND":       engine.KindUnknownColumn,
	"FUNCTION_NOT_FOUND":     engine.KindUnsupported,
	"NOT_SUPPORTED":          engine.KindUnsupported,
	"PERMISSION_DENIED":      engine.KindNotAllowed,
	"TABLE_ALREADY_EXISTS":   engine.KindExists,
	"COLUMN_ALREADY_EXISTS":  engine.KindExists,
	"EXCEEDED_TIME_LIMIT":    engine.KindTimeout,
	"QUERY_TEXT_TOO_LARGE":   engine.KindLimit,
	"NO_NODES_AVAILABLE":     engine.KindSource,
	"SERVER_STARTING_UP":     engine.KindSource,
	"SERVER_SHUTTING_DOWN":   engine.KindSource,
	"REMOTE_HOST_GONE":       engine.KindSource,
	"REMOTE_TASK_ERROR":      engine.KindSource,
	"REMOTE_TASK_MISMATCH":   engine.KindSource,
	"PAGE_TRANSPORT_ERROR":   engine.KindSource,
	"PAGE_TRANSPORT_TIMEOUT": engine.KindSource,
	"TRANSACTION_CONFLICT":   engine.KindLocked,
	"ICEBERG_COMMIT_ERROR":   engine.KindLocked,
}

var placed = late.Regexp(`^line [0-9]+:[0-9]+: `)

// fault converts an error of the cluster. The place is that in the text that was sent.
func fault(ctx context.Context, err error) error {
	var e *protocol.Error
	var away *protocol.UnreachableError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return engine.Ended(ctx, nil)
	case errors.As(err, &e):
	case errors.As(err, &away), errors.As(err, new(*protocol.LostError)):
		out := &engine.Error{Kind: engine.KindSource, Message: err.Error(), Err: err,
			Hint: "it may be starting; try again in a minute"}
		if errors.Is(err, protocol.ErrNotAdmitted) {
			out.Err = engine.Unusable(err)
			out.Hint = "the credential is --trino-user with --trino-password-file or --trino-token-file, or " +
				"--trino-cert"
		}
		return out
	default:
		return err
	}
	out := &engine.Error{Kind: kinds[e.Name], Message: placed().ReplaceAllString(e.Message, ""), Err: err}
	if out.Kind == "" {
		out.Err = &engine.CodedError{Code: e.Name, Err: err}
		switch e.Type {
		case "USER_ERROR":
			out.Kind = engine.KindValue
		case "INSUFFICIENT_RESOURCES":
			out.Kind = engine.KindLimit
		case "EXTERNAL":
			out.Kind = engine.KindSource
		default:
			out.Kind = engine.KindInternal
		}
	}
	if e.Location != nil && e.Location.Line > 0 {
		out.Line, out.Col = e.Location.Line, e.Location.Column
	}
	return out
}

// isKind reports whether an error is of a class.
func isKind(err error, kind engine.Kind) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Kind == kind
}

// offset is the place in a text of a line and a column, counted from 1 in UTF-16 code units as Java does.
func offset(text string, line, col int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	for i, r := range text[at:] {
		if col--; col <= 0 {
			return at + i
		}
		if r > 0xffff {
			col--
		}
	}
	return len(text)
}
