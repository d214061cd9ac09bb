package merge

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// sinceFilter is a condition that a source may apply itself, if the value certainly has the same meaning there.
func sinceFilter(column, typ, text string) (engine.Filter, bool) {
	f := engine.Filter{Column: column, Op: ">="}
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "tinyint", "smallint", "integer", "bigint":
		n, err := strconv.ParseInt(text, 10, 64)
		f.Values = []any{n}
		return f, err == nil
	case "date", "timestamp":
		layout := "2006-01-02 15:04:05.999999999"
		if strings.HasSuffix(typ, "with time zone") {
			layout += " UTC"
		} else if base == "date" {
			layout = time.DateOnly
		}
		t, err := time.Parse(layout, text)
		f.Values = []any{t.UTC()}
		return f, err == nil
	}
	return f, false
}

// keyFilter selects rows by their keys.
func keyFilter(column, typ string, texts []*string) (engine.Filter, bool) {
	f := engine.Filter{Column: column, Op: "in"}
	base, _, _ := strings.Cut(typ, "(")
	for _, t := range texts {
		switch base {
		case "tinyint", "smallint", "integer", "bigint":
			n, err := strconv.ParseInt(*t, 10, 64)
			if err != nil {
				return f, false
			}
			f.Values = append(f.Values, n)
		case "varchar":
			f.Values = append(f.Values, *t)
		default:
			return f, false
		}
	}
	return f, true
}

// filtered adds a condition to every scan of a source. The engine applies it again.
type filtered struct {
	engine.Scanner
	filter engine.Filter
}

// Scan implements engine.Scanner.
func (s filtered) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	req.Filters = append(slices.Clone(req.Filters), s.filter)
	return s.Scanner.Scan(ctx, req)
}
