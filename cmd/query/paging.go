package query

import (
	"context"
	"fmt"
	"io"

	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/pkg/api"
)

// distrustPaging rejects, for --strict, a page of an order that is not unique.
func (q *querying) distrustPaging(ctx context.Context, st *statement) error {
	form, ok := st.form.(api.ExecuteByStatement)
	if !q.f.strict || !ok || st.text == "" {
		return nil
	}
	p := trust.PagedByHand(st.text, st.language)
	if p == nil {
		return nil
	}
	return p.Refuse(func(sql string, key []string) (rows, bad int64, err error) {
		return q.keyCounts(q.withFiles(ctx, st), sql, form.Bindings, key, true)
	})
}

// warnPaging prints the findings that --strict would reject.
func (q *querying) warnPaging(st *statement, notes io.Writer) {
	if q.f.strict || st.text == "" {
		return
	}
	if p := trust.PagedByHand(st.text, st.language); p != nil {
		fmt.Fprintln(notes, "warning: "+trust.OrderWarning)
	}
}
