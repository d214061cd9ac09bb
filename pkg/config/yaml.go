package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/late"
)

// maxFile limits the files this package reads: a project file is untrusted.
const maxFile = 256 << 10

var yamlLine = late.Regexp(`^yaml: line (\d+): `)

// readBounded reads a regular file; a FIFO or device could block or never end. For a missing file it returns nil
// without an error.
func readBounded(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Kind: ErrUsage, File: path, Msg: "cannot be read", cause: err}
	}
	if !st.Mode().IsRegular() {
		return nil, &Error{Kind: ErrUsage, File: path, Msg: "is not a regular file"}
	}
	if st.Size() > maxFile {
		return nil, &Error{Kind: ErrUsage, File: path, Msg: fmt.Sprintf("is %d bytes; the limit is %d",
			st.Size(), maxFile)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Kind: ErrUsage, File: path, Msg: "cannot be opened", cause: err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it grew while being read")
	}
	if err != nil {
		return nil, &Error{Kind: ErrUsage, File: path, Msg: "cannot be read", cause: err}
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// parseMapping parses one YAML document with a mapping at its root. An empty document gives an empty mapping; the
// document node is returned too, because it holds the comments at the start and the end of the file.
func parseMapping(path string, data []byte) (doc, root *yaml.Node, err error) {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // the parser adds empty lines after comments otherwise
	dec := yaml.NewDecoder(bytes.NewReader(data))
	doc = &yaml.Node{}
	if err := dec.Decode(doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, yamlError(path, err)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		// The parser drops a file that has only comments, so they are taken from the text.
		root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: onlyComments(data)}
		return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}, root, nil
	}
	root = doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, nil, &Error{Kind: ErrUsage, File: path, Line: root.Line,
			Msg: "contains no fields of the form name: value"}
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		return nil, nil, &Error{Kind: ErrUsage, File: path, Line: more.Line, Msg: "contains a second document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, yamlError(path, err)
	}
	return doc, root, nil
}

func onlyComments(data []byte) string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return strings.Join(lines, "\n")
}

func yamlError(path string, err error) error {
	e := &Error{Kind: ErrUsage, File: path, Msg: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Msg = strings.TrimPrefix(err.Error(), m[0])
	}
	return e
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// pairs iterates over a mapping and rejects a duplicate name, an alias and a merge key: each could make the meaning of
// the file differ from what a reader sees.
func pairs(path string, m *yaml.Node, visit func(name, value *yaml.Node) error) error {
	seen := map[string]int{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		name, value := m.Content[i], m.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
			return &Error{Kind: ErrUsage, File: path, Line: name.Line, Msg: "a field name is not plain text"}
		}
		if line, twice := seen[name.Value]; twice {
			return &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: name.Value,
				Msg: fmt.Sprintf("is given twice, first on line %d", line)}
		}
		seen[name.Value] = name.Line
		if value.Kind == yaml.AliasNode {
			return &Error{Kind: ErrUsage, File: path, Line: value.Line, Field: name.Value,
				Msg: "is an alias; write the value"}
		}
		if err := visit(name, value); err != nil {
			return err
		}
	}
	return nil
}

// scalar returns the text of a value as written in the file: an identifier such as 012 or 1e3 is not changed.
func scalar(path string, name, value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode {
		return "", &Error{Kind: ErrUsage, File: path, Line: value.Line, Field: name.Value, Msg: "is not a single value"}
	}
	if isNull(value) || value.Value == "" {
		return "", &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: name.Value, Msg: "is empty",
			hint: "remove the line or give it a value"}
	}
	return value.Value, nil
}

// synonyms maps common wrong names to the existing fields, for suggestions.
func synonym(name string) string {
	switch strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name)) {
	case "organization", "organizationid", "orgid":
		return "org"
	case "url", "address", "endpoint", "baseaddress", "baseurl", "host":
		return "base-url"
	case "projectid":
		return "project"
	case "workspaceid":
		return "workspace"
	case "format":
		return "output"
	}
	return ""
}

func unknownField(path string, name *yaml.Node, known []string) error {
	e := &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: name.Value, Msg: "unknown field"}
	guess := synonym(name.Value)
	if !slices.Contains(known, guess) {
		guess = nearest.Of(name.Value, known)
	}
	if guess != "" {
		e.hint = fmt.Sprintf("did you mean %s?", guess)
	} else {
		e.hint = "the fields are " + strings.Join(known, ", ")
	}
	return e
}

// isKeyName matches the usual names of a secret, so that the error says where it belongs instead of "unknown field".
func isKeyName(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
	switch n {
	case "key", "apikey", "token", "accesstoken", "secret", "password", "authorization", "bearer", "digapikey":
		return true
	}
	return strings.HasSuffix(n, "apikey") || strings.HasSuffix(n, "token")
}

func child(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

func text(v string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v} }

// setChild sets, adds or (with nil) removes a field and preserves the comments on a replaced value.
func setChild(m *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value != name {
			continue
		}
		if value == nil {
			removeChild(m, i)
			return
		}
		old := m.Content[i+1]
		value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
		m.Content[i+1] = value
		return
	}
	if value != nil {
		m.Style = 0 // a field added to a {flow} mapping is easier to read and edit in block form
		m.Content = append(m.Content, text(name), value)
	}
}

// removeChild removes a member with the comments above it, next to it and in it. The comment below it is kept, and so
// is one above the setting current: files begin with that setting, so the comment may be about the whole file.
func removeChild(m *yaml.Node, i int) {
	key, value := m.Content[i], m.Content[i+1]
	var kept []string
	if key.Value == "current" && value.Kind == yaml.ScalarNode {
		kept = append(kept, key.HeadComment)
	}
	kept = append(kept, value.FootComment, key.FootComment)
	m.Content = append(m.Content[:i], m.Content[i+2:]...)
	switch {
	case i < len(m.Content):
		next := m.Content[i]
		next.HeadComment = paragraphs(append(kept, next.HeadComment)...)
	case i > 0:
		last := m.Content[i-2]
		last.FootComment = paragraphs(append([]string{last.FootComment}, kept...)...)
	default:
		m.FootComment = paragraphs(append([]string{m.FootComment}, kept...)...)
	}
}

// paragraphs joins the comments that are not empty, with empty lines between them.
func paragraphs(comments ...string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n\n")
}

// moveComments moves the comment behind a mapping that was written as {flow} or null to its name: the encoder drops it
// in block form.
func moveComments(n *yaml.Node) {
	for i, value := range n.Content {
		moveComments(value)
		if n.Kind != yaml.MappingNode || i%2 == 0 || value.Kind != yaml.MappingNode ||
			value.Style&yaml.FlowStyle != 0 || len(value.Content) == 0 {
			continue
		}
		if name := n.Content[i-1]; name.LineComment == "" {
			name.LineComment, value.LineComment = value.LineComment, ""
		}
	}
}

// writeYAML replaces a file by a document, with the line ends and the byte order mark that the file has; its caller
// holds the lock.
func writeYAML(path string, doc *yaml.Node) error {
	data, err := encode(doc)
	if err != nil {
		return &Error{Kind: ErrStorage, File: path, Msg: "cannot be encoded", cause: err}
	}
	before, err := readBounded(path)
	if err != nil {
		return err
	}
	if first, _, more := bytes.Cut(before, []byte("\n")); more && bytes.HasSuffix(first, []byte("\r")) {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(before, mark) && !bytes.HasPrefix(data, mark) {
		data = append(mark, data...)
	}
	return writeAtomic(path, data)
}

func encode(doc *yaml.Node) ([]byte, error) {
	moveComments(doc)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
