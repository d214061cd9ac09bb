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

// joined finds the keys of maps that are made by joining texts, and the comparisons of two joined texts.
type joined struct {
	p      checkedPackage
	fn     *ast.FuncDecl
	makers map[string]bool // functions that return a joined text
	places map[string][]string
}

// TestJoinedKeys finds each key of a map that joins texts, and each comparison of two such texts: "a.b" and "c" join
// like "a" and "b.c", so the one would be taken for the other. A struct is a key that tells them apart, or a NUL
// between the texts. The others are in testdata/joined.txt; a line has the function, the number of its places and the
// reason.
func TestJoinedKeys(t *testing.T) {
	j := &joined{makers: map[string]bool{}, places: map[string][]string{}}
	packages := checked(t)
	for range 2 { // a function may return what another one joins
		j.each(packages, func() {
			ast.Inspect(j.fn.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 && j.joins(r.Results[0], 0) {
					if f, ok := j.p.info.Defs[j.fn.Name].(*types.Func); ok {
						j.makers[f.FullName()] = true
					}
				}
				_, inner := n.(*ast.FuncLit)
				return !inner
			})
		})
	}
	if !j.makers["("+module+"pkg/gateway/engine.TableName).String"] {
		t.Error("the name of a table does not count as joined")
	}
	j.each(packages, j.look)
	compareAccepted(t, "testdata/joined.txt", "keys of joined texts", j.places)
}

func (j *joined) each(packages []checkedPackage, do func()) {
	for _, p := range packages {
		for _, f := range p.files {
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
					j.p, j.fn = p, fn
					do()
				}
			}
		}
	}
}

// look finds the keys in a function.
func (j *joined) look() {
	ast.Inspect(j.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			if j.isMap(n.X) && j.joins(n.Index, 0) {
				j.add(n)
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && j.joins(n.X, 0) && j.joins(n.Y, 0) {
				j.add(n)
			}
		case *ast.KeyValueExpr:
			if j.isText(n.Key) && j.joins(n.Key, 0) {
				j.add(n)
			}
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				if f.Name == "delete" && len(n.Args) == 2 && j.joins(n.Args[1], 0) {
					j.add(n)
				}
			case *ast.SelectorExpr:
				if t := j.p.info.TypeOf(f.X); t != nil && strings.TrimPrefix(t.String(), "*") == "sync.Map" &&
					len(n.Args) > 0 && j.joins(n.Args[0], 0) {
					j.add(n)
				}
			}
		}
		return true
	})
}

func (j *joined) add(n ast.Node) {
	pos := j.p.set.Position(n.Pos())
	name := functionName(j.p.dir, j.fn)
	j.places[name] = append(j.places[name], fmt.Sprintf("%s/%s:%d", j.p.dir, filepath.Base(pos.Filename), pos.Line))
}

func (j *joined) isMap(x ast.Expr) bool {
	t := j.p.info.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func (j *joined) isText(x ast.Expr) bool {
	t := j.p.info.TypeOf(x)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// joins reports whether an expression joins at least two texts that vary.
func (j *joined) joins(x ast.Expr, depth int) bool {
	if !j.isText(x) || depth > 8 {
		return false
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return j.joins(x.X, depth+1)
	case *ast.BinaryExpr:
		vary, nul := j.parts(x)
		return vary > 1 && !nul
	case *ast.CallExpr:
		return j.call(x, depth)
	case *ast.Ident:
		return j.variable(x, depth)
	}
	return false
}

// parts counts the texts of a sum that vary, and reports whether a NUL is between them.
func (j *joined) parts(x ast.Expr) (vary int, nul bool) {
	if v := j.p.info.Types[x].Value; v != nil {
		return 0, v.Kind() == constant.String && strings.Contains(constant.StringVal(v), "\x00")
	}
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		l, nulLeft := j.parts(b.X)
		r, nulRight := j.parts(b.Y)
		return l + r, nulLeft || nulRight
	}
	return 1, false
}

// call reports whether a call joins texts, by itself or because an argument does.
func (j *joined) call(c *ast.CallExpr, depth int) bool {
	var f *types.Func
	switch fun := c.Fun.(type) {
	case *ast.SelectorExpr:
		f, _ = j.p.info.Uses[fun.Sel].(*types.Func)
	case *ast.Ident:
		f, _ = j.p.info.Uses[fun].(*types.Func)
	}
	if f == nil {
		return false
	}
	switch name := f.FullName(); name {
	case "strings.ToLower", "strings.ToUpper", "strings.TrimSpace", module + "pkg/gateway/engine.LowerASCII":
		return j.joins(c.Args[0], depth+1)
	case module + "internal/sqltext.Quote": // quotes each of its parts
		return false
	case "(*strings.Builder).String", "(*bytes.Buffer).String":
		return true
	case "strings.Join":
		v := j.p.info.Types[c.Args[1]].Value
		return v == nil || !strings.Contains(constant.StringVal(v), "\x00")
	case "fmt.Sprint", "fmt.Sprintf":
		vary := 0
		for _, a := range c.Args {
			if j.p.info.Types[a].Value == nil && (j.isText(a) || !j.isNumber(a)) {
				vary++
			}
		}
		return vary > 1
	default:
		return j.makers[name]
	}
}

func (j *joined) isNumber(x ast.Expr) bool {
	b, ok := j.p.info.TypeOf(x).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// variable reports whether a variable of the function is given a joined text.
func (j *joined) variable(id *ast.Ident, depth int) bool {
	of := j.p.info.Uses[id]
	if of == nil {
		return false
	}
	found := false
	ast.Inspect(j.fn.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) || found {
			return !found
		}
		for i, l := range a.Lhs {
			if l, ok := l.(*ast.Ident); ok && (a.Tok == token.ADD_ASSIGN && j.p.info.Uses[l] == of &&
				j.p.info.Types[a.Rhs[i]].Value == nil) {
				found = true
			} else if ok && (j.p.info.Defs[l] == of || j.p.info.Uses[l] == of) {
				found = found || j.joins(a.Rhs[i], depth+1)
			}
		}
		return !found
	})
	return found
}
