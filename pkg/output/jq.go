package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/itchyny/gojq"
)

// compileJQ parses and compiles a program. An error in its text is a *UsageError with the line and a caret as hint.
func compileJQ(program string) (*gojq.Code, error) {
	q, err := gojq.Parse(program)
	if err != nil {
		var pe *gojq.ParseError
		if !errors.As(err, &pe) {
			return nil, cell.Usagef("", "invalid --jq program: %v", err)
		}
		at := min(max(pe.Offset-len(pe.Token), 0), len(program))
		line := 1 + strings.Count(program[:at], "\n")
		col := 1 + len([]rune(program[strings.LastIndexByte(program[:at], '\n')+1:at]))
		return nil, cell.Usagef(Caret(program, line, col, 0), "invalid --jq program at line %d, column %d: %v",
			line, col, err)
	}
	code, err := gojq.Compile(q)
	if err != nil {
		return nil, cell.Usagef("", "invalid --jq program: %v", err)
	}
	return code, nil
}

// decodeExact decodes one JSON document with every number as json.Number, which gojq preserves digit by digit.
func decodeExact(doc []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// runJQ writes the results of the program for one input: strings unquoted, everything else as JSON, one per line. The
// keys of objects are sorted, as gojq preserves no order.
func runJQ(w io.Writer, code *gojq.Code, input any, indent bool) error {
	iter := code.Run(input)
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return fmt.Errorf("--jq: %w", err)
		}
		var b []byte
		if s, ok := v.(string); ok {
			b = []byte(s)
		} else {
			var err error
			if b, err = gojq.Marshal(v); err != nil {
				return fmt.Errorf("--jq: %w", err)
			}
			if indent {
				b = indented(b)
			}
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
}

// indented indents a JSON document without changing its values.
func indented(doc []byte) []byte {
	var buf bytes.Buffer
	if json.Indent(&buf, doc, "", "  ") != nil {
		return doc
	}
	return buf.Bytes()
}

func writeRowsJQ(w io.Writer, rows api.RowReader, cols []cell.Column, o Options) (Stats, error) {
	code, err := compileJQ(o.JQ)
	if err != nil {
		return Stats{}, err
	}
	var st Stats
	counted := &counter{w: w}
	s := newStream(counted)
	out := streamWriter{s}
	all := []any{}
	var buf []byte
	for err == nil && rows.Next() {
		st.Rows++
		cells := rows.Row()
		if err = cell.CheckRow(st.Rows, cells, cols); err != nil {
			break
		}
		var v any
		if buf, err = appendObject(buf[:0], st.Rows, cols, cells, o.typed()); err != nil {
			break
		}
		if v, err = decodeExact(buf); err != nil {
			break
		}
		if o.format() == NDJSON {
			err = runJQ(out, code, v, false)
			continue
		}
		all = append(all, v)
	}
	if err == nil {
		err = rows.Err()
	}
	if err == nil && o.format() == JSON {
		err = runJQ(out, code, all, o.Terminal)
	}
	if closing := s.close(); err == nil {
		err = closing
	}
	st.Shown, st.Bytes = st.Rows, counted.n
	return st, err
}

// streamWriter is a stream as an io.Writer.
type streamWriter struct{ s *stream }

func (w streamWriter) Write(p []byte) (int, error) {
	err := w.s.append(func(dst []byte) ([]byte, error) { return append(dst, p...), nil })
	return len(p), err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
