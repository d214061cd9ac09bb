package cmd

import (
	"context"
	"strconv"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// estimateRows is how many rows are looked at for the width of a row.
const estimateRows = 1000

// sizeEstimate is about what a stored result will hold.
type sizeEstimate struct {
	Rows        int64 `json:"rows"`        // counted
	BytesPerRow int64 `json:"bytesPerRow"` // as text, of the rows looked at
	Bytes       int64 `json:"bytes"`       // as text, before the storage packs them
	Sampled     int64 `json:"sampledRows"`
}

// estimate counts the rows of a query and looks at the first for their width. A stored result can be neither partitioned nor sorted
// through the API, so its size is what it costs to read.
func (e *Env) estimate(ctx context.Context, cl *api.Client, project, sql string) (view, error) {
	sql = sqltext.Single(sql, e.nestedComments())
	inner := &statement{text: sql, wrapped: 1}
	run := func(outer string, row func([]api.Cell) error) error {
		res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: outer, Timeout: api.ExecuteTimeout(e.timeLimit())}, api.Compact)
		if err != nil {
			return e.pointAt(inner, err)
		}
		defer res.Close()
		r := res.Rows()
		for r.Next() {
			if err := row(r.Row()); err != nil {
				return err
			}
		}
		return r.Err()
	}
	var s sizeEstimate
	err := run("SELECT count(*) FROM (\n"+sql+"\n) AS counted", func(row []api.Cell) (err error) {
		text, err := row[0].AppendText(nil)
		if err == nil {
			s.Rows, err = strconv.ParseInt(string(text), 10, 64)
		}
		return err
	})
	if err != nil {
		return view{}, err
	}
	var bytes int64
	err = run("SELECT * FROM (\n"+sql+"\n) AS sampled LIMIT "+strconv.Itoa(estimateRows), func(row []api.Cell) error {
		s.Sampled++
		for _, c := range row {
			bytes += int64(len(c))
		}
		return nil
	})
	if err != nil {
		return view{}, err
	}
	if s.Sampled > 0 {
		s.BytesPerRow = (bytes + s.Sampled - 1) / s.Sampled
	}
	s.Bytes = s.Rows * s.BytesPerRow
	return object(s).mine().withNote("about %d rows, %s as text; nothing was stored", s.Rows, humanBytes(s.Bytes)), nil
}
