package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFoldedNames finds the places of the commands and the gateway that compare a name without its case: at a source
// Case1 and case1 are two tables, and what belongs to one must not be taken for the other's. TestNamesThatDifferInCase
// tries the services over such sources. The places are in testdata/folded.txt; a line has the function, the number of
// its places and the reason.
func TestFoldedNames(t *testing.T) {
	named := regexp.MustCompile(`(?i)(name|table|schema|catalog|column|col|key|want|given|stored|written|lower)\)*$`)
	folding := regexp.MustCompile(`(?i)\blower\(|\bnocase\b`)
	places := map[string][]string{}
	for _, p := range checked(t) {
		if p.dir != "cmd" && !strings.HasPrefix(p.dir, "cmd/") && !strings.HasPrefix(p.dir, "pkg/gateway") {
			continue
		}
		for _, f := range p.files {
			for _, decl := range f.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				called := map[ast.Expr]bool{}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok {
						called[c.Fun] = true
					}
					x, ok := n.(ast.Expr)
					if !ok || called[x] || !foldsName(p, x, named, folding) {
						return true
					}
					pos, name := p.set.Position(n.Pos()), functionName(p.dir, fn)
					places[name] = append(places[name], fmt.Sprintf("%s/%s:%d", p.dir, filepath.Base(pos.Filename),
						pos.Line))
					return false
				})
			}
		}
	}
	compareAccepted(t, "testdata/folded.txt", "names that are compared without their case", places)
}

// foldsName reports whether an expression is a call of EqualFold with names, the function itself as a value, or a
// constant of SQL that folds the case.
func foldsName(p checkedPackage, x ast.Expr, named, folding *regexp.Regexp) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		if !equalFold(p, x.Fun) {
			return false
		}
		a, b := x.Args[0], x.Args[1]
		fixed := p.info.Types[a].Value != nil || p.info.Types[b].Value != nil // a word that is not a user's
		return !fixed && (named.MatchString(types.ExprString(a)) || named.MatchString(types.ExprString(b)))
	case *ast.SelectorExpr:
		return equalFold(p, x)
	case *ast.BasicLit:
		v := p.info.Types[x].Value
		return v != nil && v.Kind() == constant.String && folding.MatchString(constant.StringVal(v))
	}
	return false
}

func equalFold(p checkedPackage, x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := p.info.Uses[sel.Sel].(*types.Func)
	return ok && f.FullName() == "strings.EqualFold"
}
