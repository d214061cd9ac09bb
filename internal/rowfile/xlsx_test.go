package rowfile

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An empty <v/> is no value, as openpyxl writes it for formulas: only of a formula with a text it is the empty text.
func TestCellValue(t *testing.T) {
	for text, want := range map[string]string{
		`<c><v>1.5</v></c>`: "1 1.5", `<c><f>1+1</f><v>2</v></c>`: "1 2", `<c t="str"><f>""</f><v></v></c>`: "3 ", `<c t="b"><v>0</v></c>`: "1 false", `<c t="b"><v>true</v></c>`: "1 true",
		`<c/>`: "0 ", `<c><v/></c>`: "0 ", `<c t="b"><v/></c>`: "0 ", `<c t="d"><v/></c>`: "0 ",
		`<c><f>1+1</f></c>`: "refused", `<c><f>1+1</f><v/></c>`: "refused", `<c t="n"><f>1+1</f><v></v></c>`: "refused", `<c t="b"><v>2</v></c>`: "refused",
	} {
		p := newPart(t.Context(), "sheet", io.NopCloser(strings.NewReader(text)))
		e, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.cell(e.(xml.StartElement))
		if err != nil {
			t.Fatal(err)
		}
		v, err := new(Book).value(c)
		got := fmt.Sprintf("%d %s", v.Kind, v.Text)
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	for code, want := range map[string]dateStyle{
		"General": noDate, "0.00": noDate, `#,##0 "days"`: noDate, `[Red]0.0`: noDate, "yyyy-mm-dd": day, "mmm": day, "mm:ss": daytime, "[h]:mm": daytime, "d/m/yy h:mm": moment, "h:mm AM/PM": daytime,
		`0\d`: noDate, `[$-409]d\-mmm\-yy;@`: day, "0.0E+00": noDate,
	} {
		if got := styleOf(code); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
	for _, c := range []struct {
		text  string
		style dateStyle
		from  bool
		want  string
	}{
		{"1", day, false, "1900-01-01"}, {"59", day, false, "1900-02-28"}, {"60", day, false, "1900-02-29"}, {"60.75", day, false, "1900-02-29T18:00:00"}, {"60.5", moment, false, "1900-02-29T12:00:00"}, {"60", moment, false, "1900-02-29T00:00:00"}, {"61", day, false, "1900-03-01"}, {"0", day, true, "1904-01-01"}, {"45351.5", day, false, "2024-02-29T12:00:00"},
		{"45351", moment, false, "2024-02-29T00:00:00"}, {"1.25", daytime, false, "30:00:00"}, {"0.41666666666666669", daytime, false, "10:00:00"}, {"-1", day, false, "-1"}, {"1e9", day, false, "1e9"},
	} {
		b := &Book{from1904: c.from}
		if got, err := b.dateText(c.text, c.style); got != c.want || err != nil {
			t.Errorf("%s: %s %v, want %s", c.text, got, err, c.want)
		}
	}
}

// A double with 17 digits has the shortest text of its value, other numbers keep theirs.
func TestShortest(t *testing.T) {
	for in, want := range map[string]string{
		"18.100000000000001": "18.1", "21": "21", "21.000000000000000": "21", "146.69999999999999": "146.7", "7.0000000000000007E-2": "0.07", "0.30000000000000004": "0.30000000000000004",
		"1.50": "1.50", "-0.0": "-0.0", "12345678901234567": "12345678901234567", "1.2345678901234501E+19": "1.2345678901234502E+19", "1E5": "100000", "1E+300": "1E+300",
		"1e-7": "1E-07", "1e999": "1e999", "0x1p4": "0x1p4", "1_000.5": "1_000.5", "x.y": "x.y",
	} {
		if got := shortest(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
