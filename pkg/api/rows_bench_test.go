package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"testing"
)

// benchDocument makes a result of n rows x 10 mixed columns as the gateway writes it: values are strings or null.
func benchDocument(format Format, n int) []byte {
	names := []string{"id", "customer_name", "email", "amount", "score", "active", "created_at", "birthday",
		"city", "note"}
	types := []string{"bigint", "varchar", "varchar", "decimal(10,2)", "double", "boolean", "timestamp(3)", "date",
		"varchar", "varchar"}
	var b bytes.Buffer
	b.WriteString(`{"columns":[`)
	for i, name := range names {
		fmt.Fprintf(&b,
			`%s{"catalogId":"1","catalogName":"peaka","schemaName":"table","tableName":"t","columnName":%q}`,
			comma(i), name)
	}
	b.WriteString(`],"data":[`)
	for i := range n {
		b.WriteString(comma(i))
		for c, v := range benchValues(i) {
			open := "["
			switch format {
			case Simple:
				open, v = "{", strconv.Quote(names[c])+":"+v
			case CellTyped:
				v = fmt.Sprintf(`{"name":%q,"displayName":%q,"dataType":%q,"order":%d,"value":%s}`, names[c], names[c],
					types[c], c, v)
			}
			if c > 0 {
				open = ","
			}
			b.WriteString(open + v)
		}
		b.WriteString(map[Format]string{Simple: "}", CellTyped: "]", Compact: "]"}[format])
	}
	b.WriteString("]}")
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func benchValues(i int) []string {
	active, note := `"true"`, `"plain note"`
	if i%7 == 0 {
		active = "null"
	}
	switch i % 10 {
	case 0:
		note = `"said \"hello\", then\nleft"`
	case 1, 2, 3:
		note = "null"
	case 4:
		note = `""`
	}
	return []string{
		fmt.Sprintf(`"%d"`, 1000000+i),
		fmt.Sprintf(`"customer %d"`, i%5000),
		fmt.Sprintf(`"u%d@example.com"`, i),
		fmt.Sprintf(`"%d.%02d"`, i%10000, i%100),
		strconv.Quote(strconv.FormatFloat(float64(i)*1.37, 'g', -1, 64)),
		active,
		fmt.Sprintf(`"2024-%02d-%02d %02d:%02d:%02d.%03d"`, 1+i%12, 1+i%28, i%24, i%60, i/60%60, i%1000),
		fmt.Sprintf(`"19%02d-%02d-%02d"`, i%100, 1+i%12, 1+i%28),
		[]string{`"Istanbul"`, `"Zürich"`, `"New York"`, `"東京"`, `"Ankara"`}[i%5],
		note,
	}
}

var benchFormats = []Format{CellTyped, Simple, Compact}

const benchRows = 20_000

// BenchmarkRows reads every row; B/s counts the document's bytes.
func BenchmarkRows(b *testing.B) {
	for _, format := range benchFormats {
		doc := benchDocument(format, benchRows)
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewRows(io.NopCloser(bytes.NewReader(doc)), format)
				for r.Next() {
				}
				if r.Err() != nil || r.Count() != benchRows {
					b.Fatal(r.Count(), r.Err())
				}
			}
		})
	}
}

// BenchmarkRowsGeneral reads rows whose keys change places in every row, which no template fits.
func BenchmarkRowsGeneral(b *testing.B) {
	for _, format := range benchFormats {
		var doc bytes.Buffer
		doc.WriteString(`{"data":[`)
		for i := range benchRows {
			v := benchValues(i)
			doc.WriteString(comma(i))
			switch space := []string{"", " ", "  "}[i%3]; format {
			case Simple:
				fmt.Fprintf(&doc, `{%s"a":%s,"b":%s,"c":%s}`, space, v[0], v[1], v[2])
			case CellTyped:
				fmt.Fprintf(&doc, `[{%s"name":"a","value":%s},{"name":"b","value":%s},{"name":"c","value":%s}]`, space,
					v[0], v[1], v[2])
			default:
				fmt.Fprintf(&doc, `[%s%s,%s,%s]`, space, v[0], v[1], v[2])
			}
		}
		doc.WriteString(`]}`)
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(doc.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r := NewRows(io.NopCloser(bytes.NewReader(doc.Bytes())), format)
				for r.Next() {
				}
				if r.Err() != nil || r.Count() != benchRows {
					b.Fatal(r.Count(), r.Err())
				}
			}
		})
	}
}

// BenchmarkEncodingJSON is what the standard library makes of the same documents, one row at a time.
func BenchmarkEncodingJSON(b *testing.B) {
	type cell struct {
		Name, DisplayName, DataType string
		Order                       int
		Value                       *string
	}
	for _, format := range benchFormats {
		doc := benchDocument(format, benchRows)
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				dec := json.NewDecoder(bytes.NewReader(doc))
				for t, err := dec.Token(); t != "data"; t, err = dec.Token() {
					if err != nil {
						b.Fatal(err)
					}
				}
				_, _ = dec.Token()
				rows := 0
				for ; dec.More(); rows++ {
					var err error
					switch format {
					case CellTyped:
						var row []cell
						err = dec.Decode(&row)
					case Simple:
						var row map[string]*string
						err = dec.Decode(&row)
					default:
						var row []*string
						err = dec.Decode(&row)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if rows != benchRows {
					b.Fatal(rows)
				}
			}
		})
	}
}
