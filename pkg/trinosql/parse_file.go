package trinosql

import (
	"encoding/hex"
	"path"
	"strings"
)

// file reads the path of a file instead of a table.
func (p *parser) file() (Relation, error) {
	t := &TableRef{node: p.begin()}
	at := t.node
	lit, err := p.text()
	if err != nil {
		return nil, err
	}
	p.done(&at)
	schema, table := FileTable(lit.Value)
	for _, name := range []string{p.files, schema, table} {
		t.Name = append(t.Name, &Ident{node: at, Name: name, Quoted: true})
	}
	p.done(&t.node)
	return t, nil
}

// FileTable returns the names under which a file is looked up in the catalog of files. They are lower-case, as all
// names that are looked up: the schema is the path in hexadecimal digits, and the table is the name of the file without
// its extensions, by which its columns may be qualified.
func FileTable(file string) (schema, table string) {
	table = path.Base(strings.ReplaceAll(file, "\\", "/"))
	table, _, _ = strings.Cut(table, ".")
	if table == "" {
		table = "file"
	}
	return hex.EncodeToString([]byte(file)), strings.ToLower(table)
}
