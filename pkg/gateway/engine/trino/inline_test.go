package trino

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// TestIntervalsInRows: rows that are sent have intervals as literals, because no text can be cast to one.
func TestIntervalsInRows(t *testing.T) {
	r := &engine.Relation{Table: &analyze.Table{}, Infos: make([]engine.ColumnInfo, 2)}
	for _, k := range []types.Kind{types.IntervalYM, types.IntervalDS} {
		r.Table.Columns = append(r.Table.Columns, analyze.TableColumn{Type: types.Of(k)})
	}
	v := &values{r: r, columns: []int{1, 0}}
	v.row()
	v.cell(0, "-3 04:05:06.789", false)
	v.cell(1, "-1-2", false)
	v.row()
	v.cell(0, "", true)
	v.cell(1, "0-0", false)
	const want = "SELECT CAST(c0 AS interval day to second), CAST(c1 AS interval year to month) FROM (VALUES " +
		"(INTERVAL '-3 04:05:06.789' DAY TO SECOND, INTERVAL '-1-2' YEAR TO MONTH), " +
		"(NULL, INTERVAL '0-0' YEAR TO MONTH)) v(c0, c1)"
	if got, err := v.text(); got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
