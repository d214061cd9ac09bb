package importer

import (
	"fmt"
	"time"
)

// RowIDs generates the _id of rows: (milliseconds since 2022-01-01 UTC) << 23 | shard << 10 | sequence, 18 to 19 digits
// in order of time as in the hosted service [C][I]. An engine stores the last one, so that no id is generated twice
// although rows come faster than 1024 a millisecond, clocks go back and tables are dropped.
type RowIDs struct{ ms, seq int64 }

const (
	rowIDEpoch = 1640995200000 // 2022-01-01 UTC in Unix milliseconds
	rowIDShard = 1
)

// IDsAfter continues after the last id that was generated, 0 for none.
func IDsAfter(last int64, now time.Time) RowIDs {
	if ms := last >> 23; ms >= now.UnixMilli()-rowIDEpoch {
		return RowIDs{ms: ms, seq: last & (1<<10 - 1)}
	}
	return RowIDs{ms: now.UnixMilli() - rowIDEpoch, seq: -1}
}

// Next returns the next id.
func (r *RowIDs) Next() int64 {
	*r = r.After(1)
	return r.Last()
}

// Last returns the id that was returned last.
func (r *RowIDs) Last() int64 { return r.ms<<23 | rowIDShard<<10 | r.seq }

// After are the ids after n more.
func (r RowIDs) After(n int64) RowIDs {
	total := r.seq + n
	return RowIDs{ms: r.ms + total>>10, seq: total & (1<<10 - 1)}
}

// SQL returns an expression, in the SQL that engines share, for the id of a row, by an expression of the row's number,
// counted from 0.
func (r RowIDs) SQL(number string) string {
	total := fmt.Sprintf("(%s + %d)", number, r.seq+1)
	seq := fmt.Sprintf("(%s %% %d)", total, 1<<10)
	return fmt.Sprintf("(%d + (%s - %s) * %d + %s)", r.ms<<23|rowIDShard<<10, total, seq, 1<<13, seq)
}
