package main

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// listed is what "go list" tells of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
}

// checkedPackage is a package of the program with its types.
type checkedPackage struct {
	dir   string // below the module
	set   *token.FileSet
	info  *types.Info
	files []*ast.File
}

// checked are the packages of the program, for the tests that read them.
func checked(t *testing.T) []checkedPackage {
	t.Helper()
	if cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || runtime.GOOS != "linux" ||
		strings.TrimSpace(string(cgo)) != "1" {
		t.Skip("the lists are of the files that are built on Linux with cgo")
	}
	out, err := checkedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var checkedOnce = sync.OnceValues(func() ([]checkedPackage, error) {
	packages, err := listPackages()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	set := token.NewFileSet()
	imp := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var out []checkedPackage
	for _, p := range packages {
		if !strings.HasPrefix(p.ImportPath+"/", module) || strings.HasSuffix(p.ImportPath, "test") ||
			strings.HasSuffix(p.ImportPath, "/contract") || strings.Contains(p.ImportPath, "/openapi") {
			continue
		}
		c := checkedPackage{dir: strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/")),
			"/"), set: set,
			info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
				Defs: map[*ast.Ident]types.Object{}}}
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.files = append(c.files, f)
		}
		if _, err := (&types.Config{Importer: imp, FakeImportC: true}).Check(p.ImportPath, set, c.files,
			c.info); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
})

func listPackages() ([]listed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// functionName is the name of a function in the lists of such tests.
func functionName(dir string, fn *ast.FuncDecl) string {
	name := dir + "." + fn.Name.Name
	if fn.Recv != nil {
		recv := fn.Recv.List[0].Type
		if s, ok := recv.(*ast.StarExpr); ok {
			recv = s.X
		}
		if x, ok := recv.(*ast.IndexExpr); ok {
			recv = x.X
		}
		if id, ok := recv.(*ast.Ident); ok {
			name = dir + "." + id.Name + "." + fn.Name.Name
		}
	}
	return name
}
