package rowfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// nowhere is a vector that takes everything.
type nowhere struct{}

func (nowhere) Null(int)                 {}
func (nowhere) Int(int, int64) error     { return nil }
func (nowhere) Float(int, float64) error { return nil }
func (nowhere) Bytes(int, []byte) error  { return nil }

// benchFiles are the same rows in two formats.
func benchFiles() map[string][]byte {
	var csv, json bytes.Buffer
	csv.WriteString("id,customer,status,amount,day,at,express,note\n")
	for i := range 50_000 {
		day, at, express := fmt.Sprintf("2024-01-%02d", i%28+1), fmt.Sprintf("2024-01-01 01:02:%02d", i%60), i%3 == 0
		fmt.Fprintf(&csv, "%d,customer number %d,paid,%d.%02d,%s,%s,%t,a note about row %d\n",
			i, i%9973, i, i%100, day, at, express, i)
		fmt.Fprintf(&json, `{"id":%d,"customer":"customer number %d","status":"paid","amount":%d.%02d,`,
			i, i%9973, i, i%100)
		fmt.Fprintf(&json, `"day":"%s","at":"%s","express":%t,"note":"a note about row %d"}`+"\n", day, at, express, i)
	}
	return map[string][]byte{"a.csv": csv.Bytes(), "a.ndjson": json.Bytes()}
}

func benchFile(b *testing.B, name string, run func(f *File) error) {
	b.Run(name, func(b *testing.B) {
		in := benchFiles()[name]
		f, err := Open(b.Context(), bytes.NewReader(in), int64(len(in)), name, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		if err := f.Learn(b.Context(), true); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			if err := run(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScan reads two columns of eight by one of several readers.
func BenchmarkScan(b *testing.B) {
	for _, name := range []string{"a.csv", "a.ndjson"} {
		benchFile(b, name, func(f *File) error {
			d, err := f.Divide(b.Context())
			if err != nil {
				return err
			}
			defer d.Close()
			need := []int{2, 3}
			var to []*infer.Target
			for _, i := range need {
				to = append(to, infer.NewTarget(f.Columns[i].Type()))
			}
			for r := d.Reader(need); ; {
				row, err := r.Next(b.Context())
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				for k, i := range need {
					if err := to[k].Put(nowhere{}, 0, row[i]); err != nil {
						return err
					}
				}
			}
		})
	}
}

// BenchmarkLearn determines the columns by all rows.
func BenchmarkLearn(b *testing.B) {
	for _, name := range []string{"a.csv", "a.ndjson"} {
		benchFile(b, name, func(f *File) error { return f.Learn(b.Context(), true) })
	}
}
