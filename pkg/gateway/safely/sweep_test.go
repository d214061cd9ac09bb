package safely

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSweep finds what starts a goroutine in the gateway by any other way than this package.
func TestSweep(t *testing.T) {
	files, safe := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "safely" || d.Name() == "enginetest" || d.Name() == "gatewaytest" ||
			d.Name() == "contract" || d.Name() == "testdata") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: go: a panic here would end the process; use safely.Go", set.Position(n.Pos()))
			case *ast.SelectorExpr:
				x, _ := n.X.(*ast.Ident)
				from := ""
				if x != nil && x.Obj == nil { // a package
					from = x.Name
				}
				switch {
				case from == "safely":
					safe++
				case n.Sel.Name == "AfterFunc":
					t.Errorf("%s: AfterFunc: a panic here would end the process; use package safely",
						set.Position(n.Pos()))
				case n.Sel.Name == "Go", n.Sel.Name == "TryGo" || from == "errgroup":
					t.Errorf("%s: Go: a panic here would end the process; use safely.Wait", set.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 || safe < 15 {
		t.Errorf("only %d files and %d uses were seen", files, safe)
	}
}

func TestPanicEndsNothingElse(t *testing.T) {
	done := make(chan struct{})
	Go(func() { defer close(done); panic("as meant") })
	<-done
	if err := Try(func() error { panic("as meant") }); err == nil || err.Error() != "internal error: as meant" {
		t.Errorf("%v", err)
	}
}
