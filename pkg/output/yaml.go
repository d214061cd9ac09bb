package output

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"go.yaml.in/yaml/v3"
)

// stampLike matches dates and times, and text that starts like them.
func stampLike(t []byte) bool {
	if len(t) < 8 || t[4] != '-' || len(bytes.Trim(t[:4], "0123456789")) > 0 {
		return false
	}
	for _, c := range t {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == ' ', c == '-', c == '.', c == ':',
			c == '+', c == '/':
		default:
			return false
		}
	}
	return true
}

// yamlFormat writes a sequence of mappings, one per row. The block style allows each value to be encoded separately.
// Values with only one possible form bypass the library, which takes 10 us a value.
type yamlFormat struct {
	cols    []cell.Column
	typed   bool
	keys    [][]byte // as the library writes them, nil if a row cannot bypass it
	scratch []byte
	text    []byte
}

func newYAML(cols []cell.Column, o Options) *yamlFormat {
	f := &yamlFormat{cols: cols, typed: o.typed(), keys: make([][]byte, len(cols))}
	for i := range cols {
		b, err := appendYAML(nil, yamlString(cols[i].Key))
		if err != nil || bytes.ContainsAny(b[:len(b)-1], "\n?|>") {
			f.keys = nil
			break
		}
		f.keys[i] = append(b[:len(b)-1], ": "...)
	}
	return f
}

func (f *yamlFormat) head(dst []byte) []byte { return dst }

func (f *yamlFormat) row(dst []byte, n int64, cells []api.Cell) ([]byte, error) {
	if len(f.keys) == 0 {
		return f.byLibrary(dst, n, cells, f.cols)
	}
	for i := range f.cols {
		lead := "  "
		if i == 0 {
			lead = "- "
		}
		from := len(dst)
		dst = append(append(dst, lead...), f.keys[i]...)
		col := &f.cols[i]
		var err error
		if f.scratch, err = cell.AppendJSON(f.scratch[:0], cells[col.Index], col.Class, f.typed); err != nil {
			return dst, cell.RowError(n, col, err)
		}
		// infinity or NaN
		infinite := f.scratch[0] == '"' && (col.Class == cell.ClassDouble || col.Class == cell.ClassReal)
		if !infinite {
			var ok bool
			if dst, ok = f.appendSimple(dst, f.scratch); ok {
				continue
			}
		}
		if dst, err = f.byLibrary(dst[:from], n, cells, f.cols[i:i+1]); err != nil {
			return dst, err
		}
		copy(dst[from:], lead) // position at which the library started a sequence
	}
	return dst, nil
}

// byLibrary appends a row, or some columns of a row.
func (f *yamlFormat) byLibrary(dst []byte, n int64, cells []api.Cell, cols []cell.Column) ([]byte, error) {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := range cols {
		col := &cols[i]
		var err error
		if f.scratch, err = cell.AppendJSON(f.scratch[:0], cells[col.Index], col.Class, f.typed); err != nil {
			return dst, cell.RowError(n, col, err)
		}
		v, err := yamlValue(f.scratch, f.typed && (col.Class == cell.ClassDouble || col.Class == cell.ClassReal))
		if err != nil {
			return dst, cell.RowError(n, col, err)
		}
		m.Content = append(m.Content, yamlString(col.Key), v)
	}
	return appendYAML(dst, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{m}})
}

// appendSimple appends a JSON value that needs no special treatment, and the end of its line; on false dst may have a
// partial value.
func (f *yamlFormat) appendSimple(dst, v []byte) ([]byte, bool) {
	switch v[0] {
	case '{', '[':
		return dst, false
	case 'n', 't', 'f':
	case '"':
		t := v[1 : len(v)-1]
		if bytes.IndexByte(t, '\\') >= 0 {
			var err error
			if f.text, err = cell.AppendText(f.text[:0], v); err != nil {
				return dst, false
			}
			t = f.text
		}
		switch {
		case plainWord(t):
			v = t
		case len(t) == 0 || stampLike(t): // v is quoted, as these texts require
		case bytes.IndexByte(t, '\n') >= 0 && unescaped(t) && tame(string(t)):
			return appendLiteral(dst, t), true
		default:
			return dst, false
		}
	default:
		if bytes.IndexByte(v, 'e') >= 0 || bytes.IndexByte(v, 'E') >= 0 {
			return dst, false
		}
	}
	return append(append(dst, v...), '\n'), true
}

// appendLiteral appends text of several lines as a literal block.
func appendLiteral(dst, t []byte) []byte {
	dst = append(dst, '|')
	text, ended := bytes.CutSuffix(t, []byte("\n"))
	if !ended {
		dst = append(dst, '-')
	}
	dst = append(dst, '\n')
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) > 0 {
			dst = append(append(dst, "    "...), line...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// plainWord reports whether t starts with a letter and every version of YAML reads it, unquoted, as this string.
func plainWord(t []byte) bool {
	if len(t) == 0 || t[len(t)-1] == ' ' || t[len(t)-1] == ':' {
		return false
	}
	if c := t[0] | 0x20; t[0] < utf8.RuneSelf && (c < 'a' || c > 'z') {
		return false
	}
	for i, c := range t {
		switch {
		case c < ' ', c == 0x7f, c == ':' && t[i+1] == ' ', c == '#' && t[i-1] == ' ':
			return false
		}
	}
	if len(t) <= len("false") {
		switch s := string(bytes.ToLower(t)); s {
		case "true", "false", "null":
			return false
		default:
			return !yaml11(s) && unescaped(t)
		}
	}
	return unescaped(t)
}

// unescaped reports whether t is UTF-8 without characters that the library escapes. It does not check single-byte
// control characters.
func unescaped(t []byte) bool {
	for i := 0; i < len(t); {
		if t[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(t[i:])
		if size == 1 || r < 0xa0 || r > 0xfffd || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return false
		}
		i += size
	}
	return true
}

func (f *yamlFormat) tail(dst []byte, rows int64) []byte {
	if rows == 0 {
		dst = append(dst, "[]\n"...)
	}
	return dst
}

func appendYAML(dst []byte, n *yaml.Node) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := yaml.NewEncoder(buf)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return dst, err
	}
	err := enc.Close()
	return buf.Bytes(), err
}

// yamlValue converts JSON to a node, with keys in the order of the document and numbers digit by digit. double converts
// the strings NaN, Infinity and -Infinity to YAML's own .nan and .inf.
func yamlValue(doc []byte, double bool) (*yaml.Node, error) {
	doc = bytes.TrimSpace(doc)
	switch {
	case len(doc) == 0 || doc[0] == 'n':
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	case doc[0] == 't' || doc[0] == 'f':
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: string(doc)}, nil
	case doc[0] == '"':
		text, err := cell.AppendText(nil, doc)
		if err != nil {
			return nil, err
		}
		if double {
			switch string(text) {
			case "NaN":
				return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: ".nan"}, nil
			case "Infinity":
				return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: ".inf"}, nil
			case "-Infinity":
				return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: "-.inf"}, nil
			}
		}
		return yamlString(string(text)), nil
	case doc[0] == '[':
		items, err := elements(doc)
		if err != nil {
			return nil, err
		}
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if len(items) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, item := range items {
			v, err := yamlValue(item, false)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, v)
		}
		return n, nil
	case doc[0] == '{':
		ms, err := members(doc)
		if err != nil {
			return nil, err
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if len(ms) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, m := range ms {
			v, err := yamlValue(m.value, false)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, yamlString(m.key), v)
		}
		return n, nil
	}
	return yamlNumber(string(doc)), nil
}

// yamlNumber keeps every digit. YAML 1.1 readers parse 1e21 as a string, so an exponent gets a point and a sign.
func yamlNumber(t string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(t, ".eE") {
		tag = "!!float"
	}
	if mantissa, exp, ok := strings.Cut(strings.ToLower(t), "e"); ok {
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		if exp[0] != '-' && exp[0] != '+' {
			exp = "+" + exp
		}
		t = mantissa + "e" + exp
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: t}
}

// yamlString leaves the choice of style to the encoder, except if its literal blocks would not be read back unchanged.
func yamlString(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case !utf8.ValidString(s):
		n.Value = strings.ToValidUTF8(s, "\uFFFD")
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"):
		if hasControl(s) || strings.Contains(s, "\u0085") || strings.ContainsAny(s, "\u2028\u2029\ufeff") || yaml11(s) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case tame(s):
		n.Style = yaml.LiteralStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// yaml11 reports whether YAML 1.1 readers (PyYAML, Ruby) parse a word as a boolean, a time or a base 60 number although
// it is a string in YAML 1.2.
func yaml11(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "=":
		return true
	}
	if len(s) > 4 && s[4] == '-' && strings.Trim(s[:4], "0123456789") == "" {
		return true
	}
	return len(s) > 2 && strings.Trim(s, "+-0123456789_:.") == "" && strings.Contains(s, ":")
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}

// tame reports whether a text of several lines, such as SQL, can be written as a literal block.
func tame(s string) bool {
	if s[0] == ' ' || s[0] == '\n' || strings.HasSuffix(s, "\n\n") || strings.ContainsAny(s,
		"\u2028\u2029\ufeff\u0085") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if hasControl(line) || strings.HasSuffix(line, " ") {
			return false
		}
	}
	return true
}
