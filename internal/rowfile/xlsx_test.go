package rowfile

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An empty <v/> is no value, as openpyxl writes it for formulas: only of a formula with a text it is the empty text.
func TestCellValue(t *testing.T) {
	for text, want := range map[string]string{
		`<c><v>1.5</v></c>`: "2 1.5", `<c><f>1+1</f><v>2</v></c>`: "2 2", `<c t="str"><f>""</f><v></v></c>`: "4 ",
		`<c t="b"><v>0</v></c>`: "1 false", `<c t="b"><v>true</v></c>`: "1 true",
		`<c/>`: "0 ", `<c><v/></c>`: "0 ", `<c t="b"><v/></c>`: "0 ", `<c t="d"><v/></c>`: "0 ",
		`<c><f>1+1</f></c>`: "refused", `<c><f>1+1</f><v/></c>`: "refused", `<c t="n"><f>1+1</f><v></v></c>`: "refused",
		`<c t="b"><v>2</v></c>`: "refused",
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
		"General": noDate, "0.00": noDate, `#,##0 "days"`: noDate, `[Red]0.0`: noDate, "yyyy-mm-dd": day, "mmm": day,
		"mm:ss": daytime, "[h]:mm": daytime, "d/m/yy h:mm": moment, "h:mm AM/PM": daytime,
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
		{"1", day, false, "1900-01-01"}, {"59", day, false, "1900-02-28"}, {"60", day, false, "1900-02-29"},
		{"60.75", day, false, "1900-02-29T18:00:00"}, {"60.5", moment, false, "1900-02-29T12:00:00"},
		{"60", moment, false, "1900-02-29T00:00:00"}, {"61", day, false, "1900-03-01"}, {"0", day, true, "1904-01-01"},
		{"45351.5", day, false, "2024-02-29T12:00:00"},
		{"45351", moment, false, "2024-02-29T00:00:00"}, {"1.25", daytime, false, "30:00:00"}, {"0.41666666666666669",
			daytime, false, "10:00:00"}, {"-1", day, false, "-1"}, {"1e9", day, false, "1e9"},
	} {
		b := &Book{from1904: c.from}
		if got, err := b.dateText(c.text, c.style); got != c.want || err != nil {
			t.Errorf("%s: %s %v, want %s", c.text, got, err, c.want)
		}
	}
}

// A double with 17 digits has the shortest text of its value, other numbers keep theirs; what is not a number is as it
// is written.
func TestShortest(t *testing.T) {
	for in, want := range map[string]string{
		"18.100000000000001": "18.1", "21": "21", "21.000000000000000": "21", "146.69999999999999": "146.7",
		"7.0000000000000007E-2": "0.07", "0.30000000000000004": "0.30000000000000004",
		"1.50": "1.50", "-0.0": "0", "-0": "0", "12345678901234567": "12345678901234567",
		"1.2345678901234501E+19": "12345678901234502000.0", "1E5": "100000",
		"1E+300": "1E+300", "1E+27": "1000000000000000000000000000.0",
		"1e28": "1E+28", "1e-7": "0.0000001", "1E-10": "0.0000000001", "1E-11": "1E-11", "007": "7", "+5": "5",
		".5": "0.5", "5.": "5", "-.25": "-0.25", "9223372036854775807": "9223372036854775807",
		"9223372036854775808": "9223372036854776000.0",
	} {
		if got, ok := shortest(in); got != want || !ok {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"1e999", "0x1p4", "1_000.5", "x.y", "", "NaN", "Inf", "1-2", "2024-02-29"} {
		if got, ok := shortest(in); got != in || ok {
			t.Errorf("%q: %s", in, got)
		}
	}
}

// The address of a cell is that of the sheet, whether the cell has one or not.
func TestAddress(t *testing.T) {
	for column, want := range map[int]string{0: "A7", 25: "Z7", 26: "AA7", 701: "ZZ7", 702: "AAA7", 16383: "XFD7"} {
		if got := address(column, 7); got != want {
			t.Errorf("%d: %s, want %s", column, got, want)
		}
	}
	raw := archive(t, plainBook, plainLinks, plainStrings, plainStyles,
		`<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>99</v></c></row></sheetData></worksheet>`)
	b, err := openBook(t.Context(), bytes.NewReader(raw), int64(len(raw)), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&File{book: b}).sheetRows(t.Context())
	if err == nil || err.Error() != `row 1, cell B1: it refers to string "99", and the workbook has 2` {
		t.Error(err)
	}
}
