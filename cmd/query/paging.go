package query

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// handPaging is a statement that selects one page by OFFSET: rows with equal sort keys may appear on two pages, or on
// none [L].
type handPaging struct {
	base string   // the statement without order and page
	key  []string // columns of the result that it is ordered by
	odd  string   // why that cannot be determined
}

// pagedByHand recognizes such a statement; nil for any other.
func pagedByHand(sql string, language sqlstmt.Dialect) *handPaging {
	sql = sqlstmt.Single(sql, language)
	if !sqlstmt.Limited(sql, language) {
		return nil
	}
	nested := language == sqlstmt.Engine
	at := sqltext.Clauses(sql, nested)
	if at["offset"] < 0 || at["offset"] < at["order"] {
		return nil
	}
	skipped := ""
	sqltext.Scan(sql[at["offset"]+len("offset"):], nested, func(from, to int) {
		if skipped == "" {
			skipped = sql[at["offset"]+len("offset"):][from:to]
		}
	})
	if n, err := strconv.ParseInt(skipped, 10, 64); err == nil && n == 0 && at["limit"] < 0 && at["fetch"] < 0 {
		return nil
	}
	if at["order"] < 0 || at["by"] < at["order"] {
		return &handPaging{odd: "it has no ORDER BY"}
	}
	p := &handPaging{base: sql[:at["order"]]}
	var words []string
	item := func() {
		name := ""
		if len(words) > 0 {
			name = words[0]
		}
		for i, w := range words {
			switch strings.ToLower(w) {
			case "asc", "desc", "nulls", "first", "last":
				continue
			}
			if i > 0 {
				p.odd = "it is ordered by more than columns"
			}
		}
		switch {
		case name == "" || !strings.HasPrefix(name, `"`) && !sqltext.WordStart(name[0]):
			p.odd = "it is ordered by more than columns"
		case strings.HasPrefix(name, `"`):
			p.key = append(p.key, sqltext.Unquote(name))
		default:
			p.key = append(p.key, strings.ToLower(name))
		}
		words = nil
	}
	list := sql[at["by"]+len("by") : at["offset"]]
	depth := 0
	sqltext.Scan(list, nested, func(from, to int) {
		switch w := list[from:to]; {
		case w == "," && depth == 0:
			item()
		default:
			if w == "(" {
				depth++
			} else if w == ")" {
				depth--
			}
			words = append(words, w)
		}
	})
	item()
	return p
}

// distrustPaging rejects, for --strict, a page of an order that is not unique.
func (q *querying) distrustPaging(ctx context.Context, st *statement) error {
	form, ok := st.form.(api.ExecuteByStatement)
	if !q.f.strict || !ok || st.text == "" {
		return nil
	}
	p := pagedByHand(st.text, st.language)
	if p == nil {
		return nil
	}
	f := &cli.Failure{Exit: cli.ExitUntrusted, Code: "order-not-unique", Hint: "--page-by KEY fetches all rows in pages by a unique key"}
	if p.odd != "" {
		f.Msg = "cannot determine whether the order of the pages is unique: " + p.odd
		return f
	}
	rows, bad, err := q.keyCounts(ctx, p.base, form.Bindings, p.key, true)
	if cli.Answered(err) {
		f.Msg = fmt.Sprintf("cannot determine whether the order of the pages is unique: %v", err)
		return f
	}
	if err != nil || bad == 0 {
		return err
	}
	f.Msg = fmt.Sprintf("the order by %s is not unique: %d of %d rows have equal sort keys, so that pages repeat and omit rows", strings.Join(p.key, ", "), bad, rows)
	return f
}

// warnPaging prints what --strict would check.
func (q *querying) warnPaging(st *statement, notes io.Writer) {
	if q.f.strict || st.text == "" {
		return
	}
	if p := pagedByHand(st.text, st.language); p != nil {
		fmt.Fprintln(notes, "warning: pages repeat and omit rows if their order is not unique; --strict verifies it, --page-by KEY fetches all pages")
	}
}
