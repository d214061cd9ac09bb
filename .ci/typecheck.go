//go:build ignore

// Command typecheck checks the types of packages and of everything they import, without compiling them. It finds the
// type errors of a build for another system in a tenth of the time.
//
//	go build -o typecheck .ci/typecheck.go && CGO_ENABLED=0 GOOS=windows GOARCH=amd64 ./typecheck ./...
//
// GOOS and GOARCH are those of the packages; go run would build this program for that system too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// imports finds the imports of one package among the packages that are already checked.
type imports struct {
	checked map[string]*types.Package
	vendor  map[string]string
}

func (i imports) Import(path string) (*types.Package, error) {
	if to, ok := i.vendor[path]; ok {
		path = to
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := i.checked[path]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not among the packages listed before", path)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	list := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error"},
		patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	arch := os.Getenv("GOARCH")
	if arch == "" {
		arch = runtime.GOARCH
	}
	checked, own, failed := map[string]*types.Package{}, 0, 0
	for in := json.NewDecoder(out); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if p.Error != nil {
			return errors.New(p.Error.Err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		main := p.Module != nil && p.Module.Main
		fset, files := token.NewFileSet(), []*ast.File(nil)
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		c := types.Config{Importer: imports{checked, p.ImportMap}, Sizes: types.SizesFor("gc", arch),
			IgnoreFuncBodies: !main, FakeImportC: true,
			Error: func(err error) {
				if main && failed < 20 {
					fmt.Fprintln(os.Stderr, err)
				}
				if main {
					failed++
				}
			}}
		if p.Module != nil && p.Module.GoVersion != "" {
			c.GoVersion = "go" + p.Module.GoVersion
		}
		// errors of other modules are reported where this module uses the faulty declarations
		checked[p.ImportPath], _ = c.Check(p.ImportPath, fset, files, nil)
		if main {
			own++
		}
	}
	if err := list.Wait(); err != nil {
		return err
	}
	if failed > 0 || own == 0 {
		return fmt.Errorf("%d errors in %d packages for %s", failed, own, strings.TrimPrefix(os.Getenv("GOOS")+"/"+
			arch, "/"))
	}
	return nil
}
