package trust

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// HandPaging is a statement that selects one page by OFFSET: rows with equal sort keys may appear on two pages, or on
// none [L].
type HandPaging struct {
	base string   // the statement without order and page
	key  []string // the result columns in its ORDER BY
	odd  string   // why the key cannot be determined
}

// PagedByBuilder returns the paging of a query-builder object, or nil if it does not select a page. Its order is not
// verified.
func PagedByBuilder(b api.ExecuteByBuilder) *HandPaging {
	if b.Offset == nil || *b.Offset == 0 && b.Limit == nil {
		return nil
	}
	if len(b.OrderBy) == 0 {
		return &HandPaging{odd: "it has no orderBy"}
	}
	return &HandPaging{odd: "the order of a query-builder object is not counted"}
}

// PagedByHand returns the paging of a statement, or nil if the statement does not select a page by OFFSET.
func PagedByHand(sql string) *HandPaging {
	sql = sqlstmt.Single(sql)
	if !sqlstmt.Limited(sql) {
		return nil
	}
	at := sqltext.Clauses(sql, false)
	if at["limit"] >= 0 && at["limit"] < at["offset"] { // no SQL of Trino
		return nil
	}
	if at["offset"] < 0 || at["offset"] < at["order"] {
		return nil
	}
	skipped := ""
	sqltext.Scan(sql[at["offset"]+len("offset"):], false, func(from, to int) {
		if skipped == "" {
			skipped = sql[at["offset"]+len("offset"):][from:to]
		}
	})
	if n, err := strconv.ParseInt(skipped, 10, 64); err == nil && n == 0 && at["limit"] < 0 && at["fetch"] < 0 {
		return nil
	}
	if at["order"] < 0 || at["by"] < at["order"] {
		return &HandPaging{odd: "it has no ORDER BY"}
	}
	p := &HandPaging{base: sql[:at["order"]]}
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
	sqltext.Scan(list, false, func(from, to int) {
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

// OrderWarning is the warning about a HandPaging whose order is not checked.
const OrderWarning = "pages repeat and omit rows if their order is not unique; --strict verifies it, --page-by KEY " +
	"fetches all pages"

// Refuse returns the error of --strict if the order of the pages is not unique. count returns the number of rows of a
// statement, and the number of those whose values of the key are not unique.
func (p *HandPaging) Refuse(count func(sql string, key []string) (rows, bad int64, err error)) error {
	f := &exitcode.Failure{Exit: exitcode.Untrusted, Code: "order-not-unique",
		Hint: "--page-by KEY fetches all rows in pages by a unique key"}
	if p.odd != "" {
		f.Msg = "cannot determine whether the order of the pages is unique: " + p.odd
		return f
	}
	rows, bad, err := count(p.base, p.key)
	if api.Answered(err) {
		f.Msg = fmt.Sprintf("cannot determine whether the order of the pages is unique: %v", err)
		return f
	}
	if err != nil || bad == 0 {
		return err
	}
	f.Msg = fmt.Sprintf("the order by %s is not unique: %d of %d rows have equal sort keys, so that pages repeat and "+
		"omit rows", strings.Join(p.key, ", "), bad, rows)
	return f
}

// RefuseKey returns the error for paging by a key if some rows have equal or NULL values in it.
func RefuseKey(key []string, bad, rows int64) error {
	if bad == 0 {
		return nil
	}
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: "key-not-unique",
		Hint: "add columns, so that the values of each row are unique",
		Msg: fmt.Sprintf("--page-by %s: %d of %d rows have duplicate or NULL values there; pages would omit rows",
			strings.Join(key, ","), bad, rows)}
}

// PagesChanged returns the error for rows that were written while pages were fetched.
func PagesChanged(format string, args ...any) error {
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: "pages-changed", Msg: fmt.Sprintf(format, args...),
		Hint: "run it again while nothing is written, or export the data"}
}

// PagesCounted compares the number of rows in all pages with the number that was counted before. Fewer rows are an
// error. More rows are an error if strict is set, and a warning otherwise.
func PagesCounted(got, counted int64, strict bool) (warning string, err error) {
	switch {
	case got < counted || got > counted && strict:
		return "", PagesChanged("received %d rows, but %d were counted before", got, counted)
	case got > counted:
		return fmt.Sprintf("received %d rows, but %d were counted before: rows were written meanwhile", got, counted),
			nil
	}
	return "", nil
}
