package cmd

import (
	"context"
	"math"
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
	run := func(outer string, read func(*api.Rows) error) error {
		res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: outer, Timeout: api.ExecuteTimeout(e.timeLimit())}, api.Compact)
		if err != nil {
			return e.pointAt(inner, err)
		}
		defer res.Close()
		return read(res.Rows())
	}
	var s sizeEstimate
	err := run("SELECT count(*) FROM (\n"+sql+"\n) AS counted", func(r *api.Rows) error {
		n, err := countsIn(r, 1)
		if err == nil {
			s.Rows = n[0]
		}
		return err
	})
	if err != nil {
		return view{}, err
	}
	var bytes int64
	err = run("SELECT * FROM (\n"+sql+"\n) AS sampled LIMIT "+strconv.Itoa(estimateRows), func(r *api.Rows) error {
		for ; r.Next(); s.Sampled++ {
			for _, c := range r.Row() {
				bytes += int64(len(c))
			}
		}
		return r.Err()
	})
	if err != nil {
		return view{}, err
	}
	if s.Sampled > 0 {
		s.BytesPerRow = (bytes + s.Sampled - 1) / s.Sampled
	}
	if s.Bytes = math.MaxInt64; s.BytesPerRow == 0 || s.Rows <= math.MaxInt64/s.BytesPerRow {
		s.Bytes = s.Rows * s.BytesPerRow
	}
	return object(s).mine().withNote("about %d rows, %s as text; nothing was stored", s.Rows, humanBytes(s.Bytes)), nil
}
