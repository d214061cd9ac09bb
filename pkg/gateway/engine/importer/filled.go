package importer

import (
	"slices"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
)

// Filled is a column that no field of a document fills, with its value in all rows.
type Filled struct {
	Column int
	Null   bool
	Value  cells.Cell
	Text   []byte // of a varchar
}

// FilledBy returns the columns without a target but _id, which has another value in each row: those of the system, and
// defaults [C].
func FilledBy(now time.Time, columns []engine.Column, targets []Target) (out []Filled) {
	for i, c := range columns {
		f := Filled{Column: i}
		switch {
		case c.Name == "_id" || slices.ContainsFunc(targets, func(tg Target) bool { return tg.Col == i }):
			continue
		case c.Type == tabledef.Instant:
			f.Value.Lo = uint64(now.UnixMicro())
		case c.System && c.Type == "bigint":
			f.Value.Lo = 1
		case c.Name == "_operation":
			f.Text = []byte("INSERT")
		case c.DefaultValue == nil:
			f.Null = true
		case c.Type == "varchar":
			f.Text = []byte(*c.DefaultValue)
		default:
			f.Value, _ = cells.ParserOf(c.Type)([]byte(*c.DefaultValue))
		}
		out = append(out, f)
	}
	return out
}
