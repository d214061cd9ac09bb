package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestGatewaySpeaksNoDialect looks for SQL in the texts of the gateway outside its reader of statements, engines,
// connectors and its own store: what caches, catalogs and metadata need is asked of the engine by meaning, and
// pkg/trinosql/build writes the statements of query builders.
func TestGatewaySpeaksNoDialect(t *testing.T) {
	sql := regexp.MustCompile(`^\s*(?i:SELECT|INSERT INTO|DELETE FROM|UPDATE \S+ SET|(?:CREATE|DROP|ALTER) (?:OR ` +
		`REPLACE )?(?:TABLE|VIEW|SCHEMA))\s` +
		`|\b(SELECT|INSERT|FROM|WHERE|JOIN|(GROUP|ORDER) BY|UNION|EXCEPT|CAST|LIMIT|OFFSET|IS NOT NULL|IS ` +
		`NULL|EXISTS|DISTINCT)\b`)
	for text, want := range map[string]bool{"SELECT ": true, " FROM ": true, "select a from b": true, "LIMIT %d": true,
		"rows from a table where one is": false, "already exists": false} {
		if sql.MatchString(text) != want {
			t.Fatalf("%q is taken for SQL: %v", text, !want)
		}
	}
	files := 0
	err := filepath.WalkDir("pkg/gateway", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"pkg/gateway/engine", "pkg/gateway/sql", "pkg/gateway/merge",
			"pkg/gateway/connector", "pkg/gateway/store", "pkg/gateway/sourcetest", "pkg/gateway/gatewaytest"}, path):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && sql.MatchString(text) {
				t.Errorf("%s: %s is SQL: ask the engine by meaning (sql.Ask), or build the statement by "+
					"pkg/trinosql/build", set.Position(lit.Pos()), lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were read", files)
	}
}
