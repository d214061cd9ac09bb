package rowfile

import (
	"encoding/csv"
	"io"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	parts "github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// The reader takes what encoding/csv takes and gives the same records, apart from carriage returns.
func TestCSVAgainstEncodingCSV(t *testing.T) {
	pieces := []string{"a", "ä", ",", ",", "\"", "\"\"", "\n", "\n", "x y", "\"b\"", "\"c\nd\"", "\",\"", " "}
	rnd, good := rand.New(rand.NewSource(1)), 0
	for range 50_000 {
		var b strings.Builder
		b.WriteString("h,i\n")
		for range rnd.Intn(12) {
			b.WriteString(pieces[rnd.Intn(len(pieces))])
		}
		theirs := csv.NewReader(strings.NewReader(b.String()))
		want, wantErr := theirs.ReadAll()
		ours := &records{text: &text{}, in: parts.NewReader(strings.NewReader(b.String()), ',', 16)}
		var got [][]string
		var gotErr error
		for gotErr == nil {
			var row []infer.Value
			if row, gotErr = ours.Next(t.Context()); gotErr == nil {
				var rec []string
				for _, v := range row {
					rec = append(rec, string(v.Text))
				}
				got = append(got, rec)
			}
		}
		if gotErr == io.EOF {
			gotErr = nil
		}
		if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q gives %q, %v; encoding/csv %q, %v", b.String(), got, gotErr, want, wantErr)
		}
		if gotErr == nil && len(got) > 1 {
			good++
		}
	}
	if good < 1000 {
		t.Errorf("only %d documents had records", good)
	}
}
