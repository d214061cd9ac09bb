package late

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestRegexpsCompile finds the malformed expression that would otherwise panic on first use.
func TestRegexpsCompile(t *testing.T) {
	seen := 0
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Regexp" {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "late" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true // put together from parts: the tests of its package use it
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil {
				_, err = regexp.Compile(text)
			}
			if err != nil {
				t.Errorf("%s: %v", files.Position(lit.Pos()), err)
			}
			seen++
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Errorf("only %d expressions found", seen)
	}
}

// TestRegexpIsMadeOnce: every call gives the same expression.
func TestRegexpIsMadeOnce(t *testing.T) {
	re := Regexp(`^a+$`)
	if first := re(); first != re() || !re().MatchString("aa") || re().MatchString("b") {
		t.Error("not the expression, or not one")
	}
}
