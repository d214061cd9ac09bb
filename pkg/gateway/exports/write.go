package exports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Formats and compressions of an export [O].
const (
	formatCSV    = "CSV"
	formatJSONL  = "JSONL"
	uncompressed = "NONE"
	gzipped      = "GZIP"
)

// exportSpec is a validated ExportRequest, with the columns it selects from a result.
type exportSpec struct {
	format, compression string
	limit               int64 // 0: all
	delimiter, quote    string
	separator, null     string
	header, system      bool
	columns             []string

	take  []int    // positions in the result
	names []string // of those columns
	types []string

	placed func(error) error // an error of the statement, for who has not seen it
}

func (o *exportSpec) suffix() string {
	s := "." + strings.ToLower(o.format)
	if o.compression == gzipped {
		s += ".gz"
	}
	return s
}

func exportOptions(b api.ExportRequest) (*exportSpec, error) {
	o := &exportSpec{format: formatCSV, compression: uncompressed, delimiter: ",", quote: `"`, separator: "\n",
		header: true, system: true, columns: b.Columns}
	switch f := strings.ToUpper(b.Format); f {
	case "":
	case formatCSV, formatJSONL:
		o.format = f
	default:
		return nil, fault.Data(400, "format: %q is neither CSV nor JSONL", b.Format)
	}
	switch z := strings.ToUpper(b.Compression); z {
	case "":
	case uncompressed, gzipped:
		o.compression = z
	default:
		return nil, fault.Data(400, "compression: %q is neither NONE nor GZIP", b.Compression)
	}
	if b.Limit != nil {
		if *b.Limit < 1 {
			return nil, fault.Data(400, "limit: %d is not between 1 and %d", *b.Limit, exportMaxLimit)
		}
		o.limit = *b.Limit
	}
	if b.IncludeSystemColumns != nil {
		o.system = *b.IncludeSystemColumns
	}
	if b.CSVOptions == nil {
		return o, nil
	}
	if o.format != formatCSV {
		return nil, fault.Data(400, "csvOptions cannot be used with format %s", o.format)
	}
	return o, o.dialect(*b.CSVOptions)
}

// maxNullValue limits what is written for each NULL.
const maxNullValue = 1 << 10

// dialect parses the CSV options. Separators may be written as escapes: the documented default of recordSeparator
// consists of the two characters \n [O].
func (o *exportSpec) dialect(c api.ExportCSVOptions) error {
	escapes := strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r")
	for _, f := range []struct {
		name, value string
		into        *string
	}{{"delimiter", escapes.Replace(c.Delimiter), &o.delimiter}, {"quoteChar", c.QuoteChar, &o.quote}} {
		if f.value == "" {
			continue
		}
		if utf8.RuneCountInString(f.value) != 1 || f.value == "\n" || f.value == "\r" {
			return fault.Data(400, "csvOptions.%s: %q is not one character", f.name, f.value)
		}
		*f.into = f.value
	}
	if o.delimiter == o.quote {
		return fault.Data(400, "csvOptions: delimiter and quoteChar are both %q", o.quote)
	}
	if s := escapes.Replace(c.RecordSeparator); s != "" {
		if s != "\n" && s != "\r\n" && s != "\r" {
			return fault.Data(400, `csvOptions.recordSeparator: %q is not one of \n, \r\n, \r`, c.RecordSeparator)
		}
		o.separator = s
	}
	if c.IncludeHeader != nil {
		o.header = *c.IncludeHeader
	}
	if c.NullValue != nil {
		if n := len(*c.NullValue); n > maxNullValue {
			return fault.Data(400, "csvOptions.nullValue has %d bytes, more than %d", n, maxNullValue)
		}
		if strings.Contains(*c.NullValue, o.delimiter) || strings.Contains(*c.NullValue, o.quote) ||
			strings.ContainsAny(*c.NullValue, "\r\n") {
			return fault.Data(400, "csvOptions.nullValue: %q contains the delimiter, the quote or a line break",
				*c.NullValue)
		}
		o.null = *c.NullValue
	}
	return nil
}

// choose selects the columns to write. Query parameters and cache columns are never included [O]. Without
// includeSystemColumns the system columns of internal tables are omitted: those starting with an underscore always, and
// "text", which may be a user's column, only if all others are present.
func (o *exportSpec) choose(cols []api.ResultColumn, x store.Export) error {
	at := map[string]int{}
	var listed []string
	o.take, o.names, o.types = nil, nil, nil
	for i, c := range cols {
		if strings.HasPrefix(c.Name, "_q_") || strings.HasPrefix(c.Name, "_cache_") {
			continue
		}
		if _, dup := at[c.Name]; !dup {
			at[c.Name] = i
		}
		listed = append(listed, c.Name)
		o.take = append(o.take, i)
	}
	if len(o.columns) > 0 {
		o.take = o.take[:0]
		for i, n := range o.columns {
			k, ok := at[n]
			if !ok {
				return fault.Data(400, "columns: there is no column %q; the columns are %s", n,
					strings.Join(listed, ", "))
			}
			if slices.Contains(o.columns[:i], n) {
				return fault.Data(400, "columns: %q is named twice", n)
			}
			o.take = append(o.take, k)
		}
	} else if internal := x.Source == store.ExportOfQuery || x.CatalogID == api.InternalCatalogID; internal &&
		!o.system {
		system := api.SystemColumns()
		whole := !slices.ContainsFunc(system, func(n string) bool { _, ok := at[n]; return !ok })
		o.take = slices.DeleteFunc(o.take, func(i int) bool {
			n := cols[i].Name
			return slices.Contains(system, n) || whole && (n == "text" || n == "_operation")
		})
	}
	if len(o.take) == 0 {
		return fault.Data(400, "there are no columns to export")
	}
	for _, i := range o.take {
		if o.format == formatJSONL && slices.Contains(o.names, cols[i].Name) {
			return fault.Data(400, "two columns are named %q, and an object of JSONL can contain only one",
				cols[i].Name)
		}
		o.names, o.types = append(o.names, cols[i].Name), append(o.types, cols[i].DataType)
	}
	return nil
}

// encoder returns a function that writes one row, after the header if any.
func (o *exportSpec) encoder(w io.Writer) (func(row [][]byte) error, error) {
	if o.format == formatJSONL {
		return o.jsonl(w), nil
	}
	if len(o.take) == 1 && o.null == "" {
		o.null = csv.Null
	}
	var buf bytes.Buffer
	if o.header {
		for k, n := range o.names {
			if k > 0 {
				buf.WriteString(o.delimiter)
			}
			o.field(&buf, []byte(n))
		}
		buf.WriteString(o.separator)
		if _, err := w.Write(buf.Bytes()); err != nil {
			return nil, err
		}
	}
	return func(row [][]byte) error {
		buf.Reset()
		for k, i := range o.take {
			if k > 0 {
				buf.WriteString(o.delimiter)
			}
			if row[i] != nil {
				o.field(&buf, row[i])
			} else {
				buf.WriteString(o.null)
			}
		}
		buf.WriteString(o.separator)
		_, err := w.Write(buf.Bytes())
		return err
	}, nil
}

// field writes a value that is not NULL; one that looks like NULL is quoted.
func (o *exportSpec) field(buf *bytes.Buffer, v []byte) {
	if string(v) != o.null && len(v) > 0 && !bytes.Contains(v, []byte(o.delimiter)) &&
		!bytes.Contains(v, []byte(o.quote)) && !bytes.ContainsAny(v, "\r\n") {
		buf.Write(v)
		return
	}
	buf.WriteString(o.quote)
	buf.Write(bytes.ReplaceAll(v, []byte(o.quote), []byte(o.quote+o.quote)))
	buf.WriteString(o.quote)
}

// jsonl writes an object per row. Numbers and booleans are written as JSON numbers and booleans, with all digits;
// everything else as strings.
func (o *exportSpec) jsonl(w io.Writer) func(row [][]byte) error {
	keys := make([][]byte, len(o.names))
	bare := make([]bool, len(o.names))
	for k, n := range o.names {
		raw, _ := api.Marshal(n) // a string always marshals
		keys[k] = append(raw, ':')
		switch base, _, _ := strings.Cut(o.types[k], "("); base {
		case "bigint", "integer", "smallint", "tinyint", "double", "real", "decimal", "boolean", "json":
			bare[k] = true
		}
	}
	var buf bytes.Buffer
	return func(row [][]byte) error {
		buf.Reset()
		for k, i := range o.take {
			buf.WriteByte("{,"[min(k, 1)])
			buf.Write(keys[k])
			switch v := row[i]; {
			case v == nil:
				buf.WriteString("null")
			case bare[k] && json.Valid(v): // NaN and Infinity are not JSON numbers and are written as strings
				buf.Write(bytes.ReplaceAll(bytes.TrimSpace(v), []byte("\n"), []byte(" ")))
			default:
				raw, err := api.Marshal(string(v))
				if err != nil {
					return err
				}
				buf.Write(raw)
			}
		}
		buf.WriteString("}\n")
		_, err := w.Write(buf.Bytes())
		return err
	}
}

// exportFault formats the error of a failed job for its record.
func exportFault(err error) string {
	var ee *engine.Error
	if errors.As(err, &ee) && ee.Line > 0 {
		return fmt.Sprintf("line %d:%d: %s", ee.Line, ee.Col, ee.Message)
	}
	return err.Error()
}
