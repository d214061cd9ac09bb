package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestRetry finds each place whose error may end a command with exit code 5, which tells a script to try again. They
// are in testdata/retry.txt; a line has the function, the number of its places and why a retry can help. Where it
// cannot, api.Lasting or another kind of error says so.
func TestRetry(t *testing.T) {
	places := map[string][]string{}
	for _, p := range checked(t) {
		for _, f := range p.files {
			for _, decl := range f.Decls {
				name := p.dir + " at package level"
				if fn, ok := decl.(*ast.FuncDecl); ok {
					name = functionName(p.dir, fn)
				}
				tested := map[ast.Expr]bool{} // compared with an error that has ended already
				ast.Inspect(decl, func(n ast.Node) bool {
					if x, ok := n.(ast.Expr); ok && tested[x] {
						return false
					}
					switch n := n.(type) {
					case *ast.BinaryExpr:
						if n.Op == token.EQL || n.Op == token.NEQ {
							tested[n.X], tested[n.Y] = true, true
						}
					case *ast.CaseClause:
						for _, e := range n.List {
							tested[e] = true
						}
					case ast.Expr:
						if mayRetry(p, n) {
							pos := p.set.Position(n.Pos())
							name := strings.ReplaceAll(name, " ", "-")
							places[name] = append(places[name], fmt.Sprintf("%s/%s:%d: %s", p.dir,
								filepath.Base(pos.Filename), pos.Line, types.ExprString(n)))
							return false
						}
					}
					return true
				})
			}
		}
	}
	compareAccepted(t, "testdata/retry.txt", "errors that end with exit code 5", places)
}

// mayRetry reports whether an expression is a constant or a call that leads to exit code 5: the code itself, a kind of
// error of the client or of an engine, or a reply of the gateway with a status that has such a kind.
func mayRetry(p checkedPackage, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return mayRetry(p, x.Sel)
	case *ast.Ident:
		o := p.info.Uses[x]
		if o == nil || o.Pkg() == nil {
			return false
		}
		switch o.Pkg().Path() + "." + o.Name() {
		case module + "cmd/internal/exitcode.Unavailable", module + "pkg/api.KindUnavailable",
			module + "pkg/api.KindTimeout", module + "pkg/gateway/engine.KindSource",
			module + "pkg/gateway/engine.KindTimeout", module + "pkg/gateway/engine.KindInternal",
			module + "pkg/gateway/engine.SourceError":
			return true
		}
	case *ast.CallExpr:
		f := types.ExprString(x.Fun)
		if _, name, found := strings.Cut(f, "fault."); found {
			f = name
		} else if p.dir != "pkg/gateway/fault" {
			return false
		}
		if f != "Data" && f != "Connection" && f != "Cache" && f != "Framework" || len(x.Args) == 0 {
			return false
		}
		v := p.info.Types[x.Args[0]].Value
		if v == nil {
			return true
		}
		status, _ := constant.Int64Val(v)
		return status == 408 || status == 429 || status == 500 || status > 501 && status != 507
	}
	return false
}
