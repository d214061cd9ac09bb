package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// dropped are the places of one function where an error that is not nil goes no further.
type dropped struct {
	set    *token.FileSet
	info   *types.Info
	dir    string
	places map[string][]string // by function
	fn     *ast.FuncDecl
}

// TestDropped finds each place where an error is dropped: an answer that is made all the same looks whole and is not.
// Those that are known are in testdata/dropped.txt; a line has the function, the number of its places and the reason.
func TestDropped(t *testing.T) {
	d := &dropped{places: map[string][]string{}}
	files := 0
	for _, p := range checked(t) {
		d.set, d.info, d.dir = p.set, p.info, p.dir
		for _, f := range p.files {
			files++
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
					d.fn = fn
					d.look(fn.Body)
				}
			}
		}
	}
	if files < 300 {
		t.Errorf("only %d files were seen", files)
	}
	compareAccepted(t, "testdata/dropped.txt", "dropped errors", d.places)
}

// compareAccepted compares the places that were found, by function, with a list of those that are known.
func compareAccepted(t *testing.T, list, what string, found map[string][]string) {
	t.Helper()
	accepted := readAccepted(t, list)
	for name, places := range found {
		if n := accepted[name]; len(places) > n {
			t.Errorf("%s has %d %s, and %d of them are known in %s:\n\t%s", name, len(places), what, n, list,
				strings.Join(places, "\n\t"))
		}
	}
	for name, n := range accepted {
		if len(found[name]) < n {
			t.Errorf("%s: %s has %d %s now: correct the line", list, name, len(found[name]), what)
		}
	}
}

// readAccepted reads a list of functions with a number and a reason each.
func readAccepted(t *testing.T, list string) map[string]int {
	f, err := os.Open(list)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	accepted := map[string]int{}
	for in := bufio.NewScanner(f); in.Scan(); {
		if in.Text() == "" || in.Text()[0] == '#' {
			continue
		}
		words := strings.SplitN(in.Text(), " ", 3)
		n, err := strconv.Atoi(words[min(1, len(words)-1)])
		if err != nil || len(words) < 3 || accepted[words[0]] > 0 {
			t.Fatalf("%s: %q has not the form: function, number, reason", list, in.Text())
		}
		if reason := strings.ToLower(words[2]); strings.Contains(reason, "unsettled") || strings.HasPrefix(reason,
			"weak") || len(reason) < 12 {
			t.Errorf("%s: %s has no reason: mend it, or say why the answer is whole without it", list, words[0])
		}
		accepted[words[0]] = n
	}
	return accepted
}

func (d *dropped) add(n ast.Node) {
	name := functionName(d.dir, d.fn)
	pos := d.set.Position(n.Pos())
	var text strings.Builder
	_ = printer.Fprint(&text, d.set, n)
	line, _, _ := strings.Cut(text.String(), "\n")
	d.places[name] = append(d.places[name], fmt.Sprintf("%s/%s:%d: %s", d.dir, filepath.Base(pos.Filename),
		pos.Line, line))
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// errorsOf are the results of an expression that are errors, by place.
func (d *dropped) errorsOf(e ast.Expr) map[int]bool {
	at := map[int]bool{}
	switch t := d.info.TypeOf(e).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			at[i] = isError(t.At(i).Type())
		}
	default:
		at[0] = isError(t)
	}
	return at
}

func (d *dropped) look(body *ast.BlockStmt) {
	conds := map[ast.Expr]bool{} // comparisons that a branch was judged by
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
					continue
				}
				from := n.Rhs[min(i, len(n.Rhs)-1)]
				if (len(n.Lhs) == len(n.Rhs) && d.errorsOf(from)[0] || len(n.Rhs) == 1 && len(n.Lhs) > 1 &&
					d.errorsOf(from)[i]) && !d.harmless(from) {
					d.add(n)
				}
			}
		case *ast.ExprStmt:
			d.call(n, n.X)
		case *ast.DeferStmt:
			d.call(n, n.Call)
		case *ast.IfStmt:
			d.branch(n, n.Cond, n.Body.List, n.Else, conds)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				break
			}
			for _, s := range n.Body.List {
				c := s.(*ast.CaseClause)
				for _, e := range c.List {
					d.branch(c, e, c.Body, nil, conds)
				}
			}
		case *ast.BinaryExpr:
			if x := d.compared(n); !conds[n] && n.Op == token.EQL && x != nil && !d.harmless(d.origin(x, n.Pos())) {
				d.add(n)
			}
		}
		return true
	})
}

// call is a call whose error nobody takes.
func (d *dropped) call(n ast.Stmt, e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return
	}
	lost := false
	for _, is := range d.errorsOf(call) {
		lost = lost || is
	}
	if !lost {
		return
	}
	if !d.harmless(call) {
		d.add(n)
	}
}

// compared is the error that an expression compares with nil.
func (d *dropped) compared(e *ast.BinaryExpr) ast.Expr {
	if id, ok := e.Y.(*ast.Ident); ok && id.Name == "nil" && isError(d.info.TypeOf(e.X)) {
		return e.X
	}
	return nil
}
