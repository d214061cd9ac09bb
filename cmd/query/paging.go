package query

import (
	"context"
	"fmt"
	"io"

	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/pkg/api"
)

// handPaging returns the paging of a statement or of a query-builder object by its offset; nil if there is none.
func handPaging(st *statement) *trust.HandPaging {
	if b, ok := st.form.(api.ExecuteByBuilder); ok {
		return trust.PagedByBuilder(b)
	}
	if st.text == "" {
		return nil
	}
	return trust.PagedByHand(st.sql)
}

// distrustPaging rejects, for --strict, a page of an order that is not unique.
func (q *querying) distrustPaging(ctx context.Context, st *statement) error {
	p := handPaging(st)
	if !q.f.strict || p == nil {
		return nil
	}
	form, _ := st.form.(api.ExecuteByStatement) // of another form the order is unknown, and nothing is counted
	return p.Refuse(func(sql string, key []string) (rows, bad int64, err error) {
		return q.keyCounts(q.withFiles(ctx, st), sql, form.Bindings, key, true)
	})
}

// warnPaging prints the findings that --strict would reject.
func (q *querying) warnPaging(st *statement, notes io.Writer) {
	if !q.f.strict && handPaging(st) != nil {
		fmt.Fprintln(notes, "warning: "+trust.OrderWarning)
	}
}
