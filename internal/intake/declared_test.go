package intake

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// TestDeclaredTypes checks that the types of Parquet columns whose values are not read are those that all values make.
func TestDeclaredTypes(t *testing.T) {
	type inner struct {
		X *int64 `parquet:"x"`
	}
	type row struct {
		Flag   *bool     `parquet:"flag"`
		Int    int32     `parquet:"int"`
		Long   *int64    `parquet:"long"`
		Big    uint64    `parquet:"big"`
		Small  int64     `parquet:"small,decimal(2:12)"`
		Tiny   int64     `parquet:"tiny,decimal(11:12)"`
		Wide   [13]byte  `parquet:"wide,decimal(0:30)"`
		Double float64   `parquet:"double"`
		Day    *int32    `parquet:"day,date"`
		Micro  *int64    `parquet:"micro,timestamp(microsecond:local)"`
		Milli  time.Time `parquet:"milli,timestamp(millisecond)"`
		Nano   time.Time `parquet:"nano,timestamp(nanosecond)"`
		Text   *string   `parquet:"text"`
		Doc    string    `parquet:"doc,json"`
		ID     [16]byte  `parquet:"id,uuid"`
		Raw    []byte    `parquet:"raw"`
		List   []string  `parquet:"list,list"`
		Inner  *inner    `parquet:"inner"`
	}
	yes, n, text, micro := true, int64(7), "2024-02-29", int64(1_700_000_000_123_456)
	day := func(n int32) *int32 { return &n }
	plain := row{Flag: &yes, Long: &n, Big: 1 << 63, Day: day(19782), Micro: &micro, Milli: time.UnixMilli(5).UTC(),
		Nano: time.UnixMicro(5).UTC(), Text: &text, Doc: "1", Raw: []byte{1}, List: []string{"1"}, Inner: &inner{&n}}
	late, early, lateMicro := plain, plain, plain
	late.Day, early.Day = day(2932897), day(-719163) // 10000-01-01, 0000-12-31
	far := int64(253_402_300_800_000_000)
	lateMicro.Micro = &far
	empty, none := plain, ""
	empty.Text, empty.Doc = &none, ""
	const known = 15 // the columns of plain that are not read
	for name, c := range map[string]struct {
		rows []row
		less int // further columns are read
	}{
		"plain": {[]row{plain, plain}, 0}, "empty": {[]row{empty, empty}, 0}, "no row": {nil, known},
		"late": {[]row{plain, late}, 1}, "early": {[]row{early, plain}, 1},
		"late instant": {[]row{plain, lateMicro}, 1},
		// the instant of nanoseconds is one that a TIMESTAMP does not hold
		"some NULL": {[]row{plain, {}}, 1}, "NULL": {[]row{{}, {}}, 7},
	} {
		var b bytes.Buffer
		if err := parquet.Write(&b, c.rows, parquet.MaxRowsPerRowGroup(1)); err != nil {
			t.Fatal(err)
		}
		d, err := open(t, "a.parquet", b.Bytes(), rowfile.Options{})
		if err == nil {
			err = d.Learn(t.Context(), true)
		}
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		read := 0
		for i := range d.Columns {
			if all = append(all, i); d.Declared(i).Alike.Kind == infer.Null {
				read++
			}
		}
		if want := len(all) - known + c.less; read != want {
			t.Errorf("%s: %d columns are read, want %d", name, read, want)
		}
		for _, narrow := range []bool{false, true} {
			got := d.Choices(narrow)
			whole, err := open(t, "a.parquet", b.Bytes(), rowfile.Options{})
			if err == nil {
				whole.Whole = true
				err = whole.Learn(t.Context(), true)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range whole.Choices(narrow) {
				if fmt.Sprint(got[i]) != fmt.Sprint(want) {
					t.Errorf("%s: %s: %+v, want %+v", name, d.Header[i], got[i], want)
				}
			}
		}
	}
}
