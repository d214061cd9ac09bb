// Command licenses writes the licences of what is linked into dig to a file: licenses FILE. The modules are those that
// the builds for all released systems need; their texts come from the module cache, that of DuckDB, which is linked in
// as a library, from this folder.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

//go:embed duckdb.txt
var duckdb string

// systems are those of .goreleaser.yaml.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses FILE")
		os.Exit(2)
	}
	text, err := write()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// module is one that is linked in, and where its source lies.
type module struct{ path, version, dir string }

// linked lists the modules of the clients of all systems, and of the build with zone local for this one: what another
// system's needs beyond them is DuckDB's library for it.
func linked() ([]module, error) {
	seen := map[module]bool{}
	for _, system := range append(systems, "") {
		goos, goarch, client := strings.Cut(system, "/")
		cgo := "0"
		if !client {
			goos, goarch, cgo = runtime.GOOS, runtime.GOARCH, "1"
		}
		c := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "github.com/dig-cli/dig")
		c.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED="+cgo)
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w: %s", system, err, errs.String())
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 && f[2] != "" {
				seen[module{f[0], f[1], f[2]}] = true
			}
		}
	}
	var all []module
	for m := range seen {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// texts reads the licence files at the top of a module, NOTICE files included.
func texts(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || strings.HasSuffix(name, ".GO") {
			continue
		}
		if slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"},
			func(p string) bool { return strings.HasPrefix(name, p) }) {
			raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, strings.TrimSpace(string(raw)))
		}
	}
	return out, nil
}

// write makes the text: the Go distribution, DuckDB, then each module.
func write() ([]byte, error) {
	modules, err := linked()
	if err != nil {
		return nil, err
	}
	if len(modules) == 0 {
		return nil, errors.New("no modules")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	std, err := texts(strings.TrimSpace(string(goroot)))
	if err != nil {
		return nil, err
	}
	if len(std) == 0 {
		return nil, fmt.Errorf("no licence in the Go distribution %s", goroot)
	}
	var out bytes.Buffer
	out.WriteString("dig is linked with the software below, under these licences.\n")
	add := func(name string, texts []string) {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), name, strings.Join(texts, "\n\n"))
	}
	add("Go "+runtime.Version(), std)
	add("DuckDB (builds with zone local)", []string{strings.TrimSpace(duckdb), bundledText()})
	for _, m := range modules {
		own, err := texts(m.dir)
		if err != nil {
			return nil, err
		}
		if len(own) == 0 && strings.HasPrefix(m.path, "github.com/duckdb/duckdb-go-bindings/") {
			continue // DuckDB's own library, for one system
		}
		if len(own) == 0 {
			return nil, fmt.Errorf("%s %s has no licence file", m.path, m.version)
		}
		add(m.path+" "+m.version, own)
	}
	return out.Bytes(), nil
}
