package trinosql

import (
	"encoding/hex"
	"path"
	"strings"
)

// file reads the path of a file instead of a table, and the options of reading it: 'sales.csv' WITH (skip = 2).
func (p *parser) file() (Relation, error) {
	t := &TableRef{node: p.begin()}
	at := t.node
	lit, err := p.text()
	if err != nil {
		return nil, err
	}
	p.done(&at)
	options, err := p.fileOptions()
	if err != nil {
		return nil, err
	}
	schema, table := FileTable(lit.Value, options)
	for _, name := range []string{p.files, schema, table} {
		t.Name = append(t.Name, &Ident{node: at, Name: name, Quoted: true})
	}
	p.done(&t.node)
	return t, nil
}

// fileOptions reads WITH (NAME = VALUE, ...) if it follows. An array is several values.
func (p *parser) fileOptions() (options [][2]string, err error) {
	if !p.isWord(wWith) || !p.peekSym(1, sLParen) {
		return nil, nil
	}
	p.advance()
	for more := true; more; more = p.isSym(sComma) {
		p.advance() // the parenthesis, or the comma
		if p.tok.kind != kIdent && p.tok.kind != kQuoted {
			return nil, p.unexpected("<identifier>")
		}
		name := strings.ToLower(strings.Trim(p.textOf(p.tok), `"`))
		p.advance()
		if err := p.wantSym(sEq); err != nil {
			return nil, err
		}
		list := p.isWord(wArray) && p.peekSym(1, sLBracket)
		if list {
			p.advance()
			p.advance()
		}
		for again := true; again; again = list && p.takeSym(sComma) {
			value, err := p.optionValue()
			if err != nil {
				return nil, err
			}
			options = append(options, [2]string{name, value})
		}
		if list {
			if err := p.wantSym(sRBracket); err != nil {
				return nil, err
			}
		}
	}
	return options, p.wantSym(sRParen)
}

// optionValue reads a text, an integer, or true or false.
func (p *parser) optionValue() (string, error) {
	switch {
	case p.tok.kind == kInteger || p.says("TRUE") || p.says("FALSE"):
		value := strings.ToLower(p.textOf(p.tok))
		p.advance()
		return value, nil
	case p.tok.kind == kString || p.tok.kind == kUnicode:
		lit, err := p.text()
		if err != nil {
			return "", err
		}
		return lit.Value, nil
	}
	return "", p.unexpected("<string>", "<integer>", "'TRUE'", "'FALSE'")
}

// FileTable returns the names under which a file is looked up in the catalog of files. They are lower-case, as all
// names that are looked up: the schema is the path, with the names and values of options, in hexadecimal digits, and
// the table is the name of the file without its extensions, by which its columns may be qualified.
func FileTable(file string, options [][2]string) (schema, table string) {
	table = path.Base(strings.ReplaceAll(file, "\\", "/"))
	table, _, _ = strings.Cut(table, ".")
	if table == "" {
		table = "file"
	}
	for _, o := range options {
		file += "\x00" + o[0] + "\x00" + o[1]
	}
	return hex.EncodeToString([]byte(file)), strings.ToLower(table)
}
