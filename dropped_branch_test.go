package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// branch looks at what is done where an error is not nil.
func (d *dropped) branch(n ast.Node, cond ast.Expr, then []ast.Stmt, other ast.Stmt, conds map[ast.Expr]bool) {
	ast.Inspect(cond, func(c ast.Node) bool {
		switch c := c.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			x := d.compared(c)
			if x == nil {
				return true
			}
			conds[c] = true
			if d.harmless(d.origin(x, c.Pos())) {
				return true
			}
			switch {
			case c.Op == token.NEQ:
				if !d.passed(x, then) {
					d.add(n)
				}
			case other != nil:
				if !d.passed(x, []ast.Stmt{other}) && !d.after(x, n) {
					d.add(n)
				}
			case !d.after(x, n):
				d.add(n)
			}
		case *ast.CallExpr:
			if f, ok := c.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Is" || f.Sel.Name == "As") &&
				len(c.Args) > 0 && isError(d.info.TypeOf(c.Args[0])) && !negated(cond, c) && !expected(c) {
				if !d.passed(c.Args[0], then) && !(f.Sel.Name == "As" && d.passed(c.Args[1], then)) {
					d.add(n)
				}
			}
		}
		return true
	})
}

// expected tells of errors.Is with an error that is no failure: the end of what is read, a file or row that is not
// there.
func expected(c *ast.CallExpr) bool {
	if len(c.Args) < 2 {
		return false
	}
	name := types.ExprString(c.Args[1])
	return name == "io.EOF" || name == "fs.ErrNotExist" || name == "os.ErrNotExist" || name == "net.ErrClosed" ||
		name == "os.ErrProcessDone"
}

// origin is what an error was last assigned from, before a place.
func (d *dropped) origin(e ast.Expr, before token.Pos) (from ast.Expr) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	ast.Inspect(d.fn.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Pos() >= before {
			return true
		}
		for i, l := range a.Lhs {
			if x, ok := l.(*ast.Ident); ok && d.object(x) != nil && d.object(x) == d.object(id) {
				from = a.Rhs[min(i, len(a.Rhs)-1)]
			}
		}
		return true
	})
	return from
}

// harmless tells of calls whose error says that a text has not a form, which is an answer, or that something could not
// be cleared away, closed after reading or told to a person.
func (d *dropped) harmless(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := d.info.Uses[f.Sel].(*types.Func)
	if !ok {
		return false
	}
	switch pkg := fn.Pkg().Path(); {
	case pkg == "fmt", pkg == "strconv", pkg == "net/netip", pkg == "net/url", pkg == "github.com/spf13/cobra",
		pkg == "github.com/spf13/pflag", pkg == "math/rand", pkg == "crypto/rand", pkg == "bufio" &&
			fn.Name() != "ReadString":
		return true
	case pkg == "time" && (strings.HasPrefix(fn.Name(), "Parse") || fn.Name() == "LoadLocation"):
		return true
	case pkg == "encoding/json" && fn.Name() == "Marshal", pkg == "encoding/json" && fn.Name() == "Indent":
		return true
	case pkg == "os" && (fn.Name() == "Remove" || fn.Name() == "RemoveAll"):
		return true
	}
	switch fn.Name() {
	case "Close", "Rollback", "Abort", "Unlock", "SetDeadline", "SetReadDeadline", "SetWriteDeadline",
		"EnableFullDuplex", "CloseWithError", "Kill", "Signal", "Flush", "Shutdown":
		return true
	}
	switch types.TypeString(d.info.TypeOf(f.X), nil) {
	case "strings.Builder", "*strings.Builder", "bytes.Buffer", "*bytes.Buffer", "hash.Hash",
		"*github.com/cespare/xxhash/v2.Digest":
		return true
	}
	return false
}

func negated(cond ast.Expr, c *ast.CallExpr) (not bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.NOT && u.X == c {
			not = true
		}
		return true
	})
	return not
}

// passed tells whether statements hand an error on, or another one in its place.
func (d *dropped) passed(e ast.Expr, body []ast.Stmt) (yes bool) {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	for _, s := range body {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if id, ok := e.(*ast.Ident); ok && d.object(id) != nil && d.object(id) == d.object(n) {
					yes = true
				}
			case *ast.SelectorExpr:
				if s, ok := e.(*ast.SelectorExpr); ok && s.Sel.Name == n.Sel.Name {
					yes = true
				}
			case *ast.ReturnStmt:
				for _, r := range n.Results {
					if t := d.info.TypeOf(r); t != nil && d.fails(t) {
						yes = true
					}
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
					yes = true
				}
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && types.TypeString(d.info.TypeOf(f.X),
					nil) == "*log/slog.Logger" {
					return false // who asked does not read the log
				}
			}
			return !yes
		})
	}
	return yes
}

// fails tells of types that are errors, alone or as the last of several results.
func (d *dropped) fails(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return tuple.Len() > 0 && d.fails(tuple.At(tuple.Len()-1).Type())
	}
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
		return false
	}
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

func (d *dropped) object(id *ast.Ident) types.Object {
	if o := d.info.Uses[id]; o != nil {
		return o
	}
	return d.info.Defs[id]
}

// after tells whether an error is still looked at behind a statement.
func (d *dropped) after(e ast.Expr, n ast.Node) (yes bool) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	ast.Inspect(d.fn.Body, func(m ast.Node) bool {
		if u, ok := m.(*ast.Ident); ok && u.Pos() > n.End() && d.info.Uses[u] != nil && d.info.Uses[u] == d.object(id) {
			yes = true
		}
		return !yes
	})
	return yes
}
