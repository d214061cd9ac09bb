package query

import (
	"context"
	"math"
	"strconv"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
)

// estimateRows is the number of rows that are sampled for the width of a row.
const estimateRows = 1000

// sizeEstimate is the estimated size of a stored result.
type sizeEstimate struct {
	Rows        int64 `json:"rows"`        // counted
	BytesPerRow int64 `json:"bytesPerRow"` // as text, of the sampled rows
	Bytes       int64 `json:"bytes"`       // as text, before compression by the storage
	Sampled     int64 `json:"sampledRows"`
}

// estimateSize counts the rows of a query and samples the first for their width. The API can neither partition nor sort
// a stored result, so its size determines the cost of reading it.
func estimateSize(ctx context.Context, e *cli.Env, cl *api.Client, project, sql string) (cli.View, error) {
	sql = sqlstmt.Single(sql)
	inner := &statement{text: sql, wrapped: 1}
	run := func(outer string, read func(*api.Rows) error) error {
		res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: outer,
			Timeout: api.ExecuteTimeout(e.TimeLimit())}, api.ExecuteOptions{Format: api.Compact})
		if err != nil {
			return pointAt(e, inner, err)
		}
		defer res.Close()
		return read(res.Rows())
	}
	var s sizeEstimate
	err := run(sqlstmt.Within(sql, "SELECT count(*) FROM (", ") AS counted"), func(r *api.Rows) error {
		n, err := contents.In(r, 1)
		if err == nil {
			s.Rows = n[0]
		}
		return err
	})
	if err != nil {
		return cli.View{}, err
	}
	var bytes int64
	err = run(sqlstmt.Within(sql, "SELECT * FROM (", ") AS sampled LIMIT "+strconv.Itoa(estimateRows)),
		func(r *api.Rows) error {
			for ; r.Next(); s.Sampled++ {
				for _, c := range r.Row() {
					bytes += int64(len(c))
				}
			}
			return r.Err()
		})
	if err != nil {
		return cli.View{}, err
	}
	if s.Sampled > 0 {
		s.BytesPerRow = (bytes + s.Sampled - 1) / s.Sampled
	}
	if s.Bytes = math.MaxInt64; s.BytesPerRow == 0 || s.Rows <= math.MaxInt64/s.BytesPerRow {
		s.Bytes = s.Rows * s.BytesPerRow
	}
	return cli.Object(s).PrintValue().WithNote("about %d rows, %s as text; nothing was stored", s.Rows,
		humanBytes(s.Bytes)), nil
}
