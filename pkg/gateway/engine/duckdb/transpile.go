//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

var _ engine.Transpiler = (*project)(nil)

// Transpile returns the DuckDB statement for one of Trino's dialect. Functions that only this engine has are rejected by name.
func (p *project) Transpile(ctx context.Context, q engine.Query) (string, error) {
	q, err := asked(q)
	if err != nil {
		return "", err
	}
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	s, err := p.statement(ctx, q)
	if err != nil {
		return "", err
	}
	defer s.close()
	if err := ofTheSession(q.SQL); err != nil {
		return "", err
	}
	if s.t, err = s.translateOld(ctx, q.SQL, "", true); err != nil {
		return "", err
	}
	if strings.Contains(s.t.text, doubleMark) {
		return "", &engine.Error{Kind: engine.KindUnsupported, Message: "a derived table with two columns of one name cannot be written for DuckDB"}
	}
	if err := s.plan(ctx, s.t.text); err != nil {
		return "", s.explain(err)
	}
	root, err := s.serialize(ctx, s.t.text)
	if err != nil {
		return "", err
	}
	fails := func(n node) bool { return str(n, "function_name") == errorFunction }
	if containsNode(root, func(n node) bool { return str(n, "type") == "OPERATOR_TRY" && containsNode(n, fails) }) {
		return "", &engine.Error{Kind: engine.KindUnsupported, Message: "TRY of what may raise an error in Trino's words cannot be written for DuckDB"}
	}
	changed, err := plainCalls(root)
	if err != nil {
		return "", s.t.place(err)
	}
	text := s.t.text
	if s.writtenNames(root) || changed {
		if text, err = s.deserialize(ctx, root); err != nil {
			return "", err
		}
	}
	if len(s.t.tree.tables) == 0 {
		if err := bareAccepts(text); err != nil {
			return "", &engine.Error{Kind: engine.KindUnsupported, Message: "the statement cannot be written for a DuckDB without the gateway: " + err.Error()}
		}
	}
	return text, nil
}

// writtenNames replaces the names of tables in the statement's tree by those that users write.
func (s *statement) writtenNames(v any) (changed bool) {
	switch v := v.(type) {
	case node:
		if str(v, "type") == "BASE_TABLE" {
			at := fold(engine.TableName{Catalog: str(v, "catalog_name"), Schema: str(v, "schema_name"), Table: str(v, "table_name")})
			if n := s.written(at); n != at {
				v["catalog_name"], changed = n.Catalog, true
			}
		}
		for _, k := range sortedKeys(v) {
			changed = s.writtenNames(v[k]) || changed
		}
	case []any:
		for _, x := range v {
			changed = s.writtenNames(x) || changed
		}
	}
	return changed
}

// ofTheSession rejects what depends on the session or the gateway's lists and would become constant in the text.
func ofTheSession(sql string) error {
	tokens, err := lex(sql)
	if err != nil {
		return nil // the translation reports it
	}
	for i, t := range tokens {
		switch {
		case i == 0 && (t.is("show") || t.is("describe") || t.is("desc")),
			t.is("current_user"), t.is("current_user_props"), t.is("current_catalog"), t.is("current_schema"), t.is(infoSchema):
			e := engine.Error{Kind: engine.KindUnsupported, Message: "'" + t.text + "' is answered by the gateway and cannot be written for DuckDB"}
			e.Line, e.Col = lineCol(sql, t.pos)
			return &e
		}
	}
	return nil
}

// plainCalls replaces functions of this engine by functions of every DuckDB, and rejects the others by name.
func plainCalls(v any) (changed bool, err error) {
	switch v := v.(type) {
	case node:
		name := str(v, "function_name")
		switch {
		case name == errorFunction:
			v["function_name"], changed = "error", true
		case name == "lpad" || name == "rpad": // here they accept a bigint
			if a := args(v); len(a) == 3 {
				v["children"], changed = []any{a[0], castTo(a[1], "INTEGER"), a[2]}, true
			}
		case strings.HasPrefix(name, "~") && !slices.Contains(trinoOperators, name):
			return false, unsupported(v, "a DuckDB without the gateway has no function that does what %s does here", strings.TrimPrefix(name, "~"))
		}
		for _, k := range sortedKeys(v) {
			c, err := plainCalls(v[k])
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
	case []any:
		for _, x := range v {
			c, err := plainCalls(x)
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
	}
	return changed, nil
}

// trinoOperators are functions of DuckDB itself with the prefix of this engine's functions.
var trinoOperators = []string{"~~", "~", "~~~", "~~*"}

// bareAccepts plans a text in an empty DuckDB.
func bareAccepts(text string) error {
	var db bindings.Database
	var c bindings.Connection
	if bindings.Open("", &db) == bindings.StateError {
		return errors.New("no DuckDB can be opened")
	}
	defer bindings.Close(&db)
	if bindings.Connect(db, &c) == bindings.StateError {
		return errors.New("no DuckDB can be opened")
	}
	defer bindings.Disconnect(&c)
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(c, text, &ps) == bindings.StateError {
		return parseDuckError(bindings.ErrorTypeInvalid, bindings.PrepareError(ps))
	}
	return nil
}
