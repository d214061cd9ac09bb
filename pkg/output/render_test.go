package output

import (
	"bytes"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/cell/celltest"
)

// render writes the corpus and fails on any error.
func render(t testing.TB, fields []celltest.Field, rows [][]*string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	o.sampleWait = time.Hour // a busy machine must not change widths
	st, err := WriteRows(&b, celltest.Result(t, fields, rows), o)
	if err != nil {
		t.Fatalf("%s: %v", o.Format, err)
	}
	if st.Rows != int64(len(rows)) {
		t.Fatalf("%s: %d rows counted of %d", o.Format, st.Rows, len(rows))
	}
	return b.String()
}
