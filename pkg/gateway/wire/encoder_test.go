package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
)

// TestColumnsOfAnyLength encodes a row after names that alone are longer than the buffer of a reply.
func TestColumnsOfAnyLength(t *testing.T) {
	cols := make([]api.ResultColumn, 3000)
	vecs := make([]batch.Vec, len(cols))
	for i := range cols {
		cols[i] = api.ResultColumn{Name: strings.Repeat("n", 50), DataType: "bigint"}
		vecs[i] = batch.Of(&batch.Type{Layout: batch.Int64}, []int64{int64(i)}, nil)
	}
	for _, format := range []api.Format{api.Compact, api.Simple, api.CellTyped} {
		var b bytes.Buffer
		e := newEncoder(&b, format, cols, func() {})
		e.head()
		if err := e.rows(vecs, 1); err != nil {
			t.Fatal(err)
		}
		if err := e.tail(); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("%s: %d bytes that are no document: %v", format, b.Len(), err)
		}
	}
}
