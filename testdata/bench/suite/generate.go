package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// document is a file, and where its rows begin and end in it: rows may be sent several times.
type document struct {
	path       string
	head, tail int64 // offsets of the first byte of the rows and of the first byte after them
	size       int64
}

var columns = []struct{ name, typ string }{
	{"id", "bigint"}, {"customer_name", "varchar"}, {"email", "varchar"}, {"amount", "decimal(10,2)"}, {"score", "double"},
	{"active", "boolean"}, {"created_at", "timestamp(3)"}, {"birthday", "date"}, {"city", "varchar"}, {"note", "varchar"},
}

// value is one cell: its JSON token and its CSV field.
type value struct{ token, field string }

func plain(text string) value { return value{`"` + text + `"`, text} }

// rowOf returns the values of a row: numbers and times as the gateway writes them, NULLs, empty text, escapes, UTF-8.
func rowOf(i int) [10]value {
	active, note := plain("true"), plain("plain note")
	if i%7 == 0 {
		active = value{"null", ""}
	}
	switch i % 10 {
	case 0:
		note = value{`"said \"hello\", then\nleft"`, "\"said \"\"hello\"\", then\nleft\""}
	case 1, 2, 3:
		note = value{"null", ""}
	case 4:
		note = value{`""`, `""`}
	}
	return [10]value{
		plain(strconv.Itoa(1000000 + i)),
		plain("customer " + strconv.Itoa(i%5000)),
		plain("u" + strconv.Itoa(i) + "@example.com"),
		plain(fmt.Sprintf("%d.%02d", i%10000, i%100)),
		plain(strconv.FormatFloat(float64(i*137)/100, 'f', -1, 64)),
		active,
		plain(fmt.Sprintf("2024-%02d-%02d %02d:%02d:%02d.%03d", 1+i%12, 1+i%28, i%24, i%60, i/60%60, i%1000)),
		plain(fmt.Sprintf("19%02d-%02d-%02d", i%100, 1+i%12, 1+i%28)),
		plain([]string{"Istanbul", "Zürich", "New York", "東京", "Ankara"}[i%5]),
		note,
	}
}

// generate writes the rows in the three wire formats and as CSV.
func generate(dir string, rows int) (map[string]document, error) {
	type writer struct {
		f *os.File
		w *bufio.Writer
		d document
	}
	shapes := []string{"CELL_TYPED", "SIMPLE", "COMPACT", "CSV"}
	out := map[string]*writer{}
	for _, shape := range shapes {
		f, err := os.Create(filepath.Join(dir, shape))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		out[shape] = &writer{f: f, w: bufio.NewWriterSize(f, 1<<20), d: document{path: f.Name()}}
	}
	var names, described []string
	for _, c := range columns {
		names = append(names, c.name)
		described = append(described, fmt.Sprintf(`{"catalogId":"1","catalogName":"peaka","schemaName":"table","tableName":"t","columnName":%q}`, c.name))
	}
	head := `{"columns":[` + strings.Join(described, ",") + `],"data":[`
	write := func(shape, text string) {
		o := out[shape]
		o.w.WriteString(text) // Flush returns the error
		o.d.size += int64(len(text))
	}
	for _, shape := range shapes[:3] {
		write(shape, head)
		out[shape].d.head = out[shape].d.size
	}
	write("CSV", strings.Join(names, ",")+"\n")
	out["CSV"].d.head = out["CSV"].d.size
	var b [4]strings.Builder
	for i := range rows {
		for k := range b {
			b[k].Reset()
		}
		if i > 0 {
			for k := range 3 {
				b[k].WriteByte(',')
			}
		}
		for c, v := range rowOf(i) {
			lead := [3]string{"[", "{", "["}
			if c > 0 {
				lead = [3]string{",", ",", ","}
				b[3].WriteByte(',')
			}
			n := names[c]
			b[0].WriteString(lead[0] + `{"name":"` + n + `","displayName":"` + n + `","dataType":"` + columns[c].typ + `","order":` + strconv.Itoa(c) + `,"value":` + v.token + `}`)
			b[1].WriteString(lead[1] + `"` + n + `":` + v.token)
			b[2].WriteString(lead[2] + v.token)
			b[3].WriteString(v.field)
		}
		for k, end := range []string{"]", "}", "]", "\n"} {
			b[k].WriteString(end)
			write(shapes[k], b[k].String())
		}
	}
	docs := map[string]document{}
	for _, shape := range shapes {
		o := out[shape]
		o.d.tail = o.d.size
		if shape != "CSV" {
			write(shape, "]}")
		}
		if err := o.w.Flush(); err != nil {
			return nil, err
		}
		docs[shape] = o.d
	}
	return docs, nil
}
