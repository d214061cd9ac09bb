package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// FuzzObjects reads documents of objects. What it accepts is JSON also for encoding/json.
func FuzzObjects(f *testing.F) {
	for _, s := range []string{
		`[{"a":1,"b":"x"},{"a":null,"b":[1,{"c":true}]}]`, "{\"a\":-1.5e3}\n{\"a\":\"\\u00e9\\ud83d\\ude00\"}\n", `{}`,
		`[]`, `[{"":1}]`, `{"a":1,"a":2}`, ` [ { "x" : { } } ] `,
		`{"columns":[{"columnName":"id","dataType":"integer"}],"data":[[{"name":"id","value":"1"}]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		o, err := Open(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			return
		}
		next := o.Next
		if r, err := o.Result(); err != nil {
			return
		} else if r != nil {
			next = r.Next
		}
		for range 1000 {
			if _, err = next(); err != nil {
				break
			}
		}
		if !errors.Is(err, io.EOF) {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(in))
		for {
			var v any
			dec.UseNumber()
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%q is accepted, but is not JSON: %v", in, err)
			}
		}
	})
}
