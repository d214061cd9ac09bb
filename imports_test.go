package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dig-cli/dig/"

// TestImports keeps data flowing one way, and each technology in one room.
func TestImports(t *testing.T) {
	only := map[string][]string{ // a library and the only folders that may import it
		"github.com/go-resty/resty":      {"pkg/api"},
		"github.com/spf13/viper":         {"pkg/config"},
		"github.com/olekukonko/":         {"pkg/output"},
		"github.com/itchyny/gojq":        {"pkg/output"},
		"github.com/duckdb/":             {"pkg/gateway/engine/duckdb"},
		"modernc.org/sqlite":             {"pkg/gateway/store", "pkg/gateway/connector"},
		"github.com/jackc/pgx":           {"pkg/gateway/store", "pkg/gateway/connector", "pkg/gateway/gatewaytest"},
		"github.com/go-sql-driver/mysql": {"pkg/gateway/connector"},
		"github.com/aws/":                {"pkg/gateway/exports/files"},
		"github.com/spf13/cobra":         {"cmd", "internal/reference"},
		"github.com/spf13/cobra/doc":     {"internal/reference"},
		"encoding/csv":                   {}, // internal/rowfile/csv is the reader of all
		"net/http": {"internal/retry", "pkg/outcome", "cmd", "pkg/api", "pkg/gateway",
			"pkg/openapi", "pkg/trinosql/witness"},
	}
	allowed := map[string][]string{ // our packages and those of ours they may import
		"internal/localstate": {"internal/tempfile"},
		"pkg/spec":            {},
		"pkg/late":            {},
		"pkg/outcome":         {},
		"internal/tempfile":   {},
		"internal/clip":       {},
		"internal/jsontext":   {},
		"internal/term":       {"pkg/api"},
		"internal/sqltext":    {"pkg/late"},
		"internal/rowfile": {"internal/clip", "internal/doubletext", "internal/jsontext", "internal/nearest",
			"internal/phrase", "internal/rowfile", "internal/sqltext", "internal/tempfile", "pkg/api", "pkg/late", "pkg/gateway/safely", "pkg/trinosql/times"},
		"internal/cell":    {"internal/nearest", "pkg/api"},
		"internal/rowset":  {"internal/cell", "internal/jsontext", "internal/rowfile", "internal/tempfile", "pkg/api"},
		"internal/intake":  {"internal/cell", "internal/clip", "internal/rowfile", "internal/tempfile"},
		"internal/nearest": {},
		"internal/shell":   {},
		"internal/retry":   {},
		"internal/each":    {"pkg/gateway/safely"},
		"pkg/trinosql":     {"internal/nearest", "internal/sqltext", "pkg/late", "pkg/trinosql"},
		"pkg/api": {"internal/loopback", "internal/retry", "internal/sqlstmt", "pkg/spec",
			"pkg/late", "pkg/outcome"},
		"pkg/config": {"pkg/config/keybinding", "internal/loopback", "pkg/late", "internal/tempfile",
			"internal/nearest", "internal/shell"},
		"pkg/output": {"internal/cell", "internal/nearest", "internal/pipe", "internal/term",
			"pkg/api", "internal/tempfile", "internal/rowfile/csv"},
		"pkg/openapi":        {"pkg/api", "pkg/spec", "pkg/openapi"},
		"pkg/gateway/safely": {},
		"pkg/gateway/damage": {},
		"pkg/gateway/store": {"pkg/gateway/damage", "pkg/gateway/safely", "internal/retry", "internal/tempfile",
			"pkg/gateway/caches/states", "pkg/gateway/zone"},
		"pkg/gateway/zone": {"internal/rowfile/csv", "pkg/gateway/engine"},
		"pkg/gateway/sql": {"internal/clip", "internal/nearest", "internal/sqltext", "pkg/late",
			"pkg/trinosql", "pkg/gateway/engine", "pkg/gateway/wire"},
		"pkg/gateway/wire": {"internal/jsontext", "internal/sqltext", "pkg/api", "pkg/trinosql", "pkg/late",
			"pkg/gateway/engine", "pkg/gateway/safely"},
		"pkg/gateway/engine": {"internal/clip", "internal/doubletext", "internal/jsontext", "internal/nearest",
			"internal/retry", "internal/rowfile/csv", "internal/sqltext", "internal/tempfile", "pkg/trinosql",
			"pkg/api", "pkg/late", "pkg/gateway/engine",
			"pkg/gateway/damage", "pkg/gateway/safely"},
		"pkg/gateway/engine/enginetest": {"pkg/api", "pkg/gateway/engine", "pkg/gateway/sql", "pkg/gateway/merge",
			"pkg/trinosql", "pkg/late"},
		"pkg/gateway/connector": {"internal/loopback", "internal/secret", "internal/rowfile", "internal/retry",
			"internal/tempfile", "internal/sqltext", "pkg/api", "pkg/late", "pkg/gateway/engine",
			"pkg/gateway/connector", "pkg/gateway/safely"},
		"pkg/gateway": {"internal/clip", "internal/loopback", "internal/each", "internal/jsontext",
			"internal/rowfile",
			"internal/retry", "internal/secret", "internal/sqltext", "pkg/api", "pkg/late", "pkg/outcome", "pkg/spec", "pkg/trinosql",
			"pkg/gateway", "internal/tempfile"},
	}
	// what cmd/internal/cli is made of
	frame := []string{"cmd/internal/complete", "cmd/internal/contents", "cmd/internal/exitcode", "cmd/internal/journal",
		"cmd/internal/prompt",
		"cmd/internal/resolve", "cmd/internal/schema"}
	under := func(dir string, rooms []string) bool {
		for _, r := range rooms {
			if dir == r || strings.HasPrefix(dir, r+"/") {
				return true
			}
		}
		return false
	}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		test := strings.HasSuffix(path, "_test.go")
		if !test {
			files++
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		for _, imp := range f.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			if test { // may open a database by database/sql, whose driver is imported for its effects alone
				if strings.HasPrefix(name, "github.com/duckdb/") && !under(dir, only["github.com/duckdb/"]) &&
					(imp.Name == nil || imp.Name.Name != "_") {
					t.Errorf("%s imports %s, which only %v may", path, name, only["github.com/duckdb/"])
				}
				continue
			}
			if pure := []string{"blocks", "ducktype", "faults", "naming", "process", "sample",
				"sharing"}; strings.HasPrefix(name,
				"github.com/duckdb/") && slices.Contains(pure, strings.TrimPrefix(dir, "pkg/gateway/engine/duckdb/")) {
				t.Errorf("%s imports %s: this part of the engine does without", path, name)
			}
			for lib, rooms := range only {
				if strings.HasPrefix(name, lib) && !under(dir, rooms) {
					t.Errorf("%s imports %s, which only %v may", path, name, rooms)
				}
			}
			if own, ok := strings.CutPrefix(name, module); ok {
				switch {
				case own == "pkg/gateway/hosted" && dir != "pkg/gateway":
					t.Errorf("%s imports %s, which pkg/gateway alone may: it hangs on hooks", path, own)
				case under(own, []string{"pkg/gateway/connector"}) && !under(dir, []string{"pkg/gateway"}):
					t.Errorf("%s imports %s: what the client shares with the gateway is in internal or pkg", path, own)
				case under(own, []string{"pkg/gateway/engine"}) && under(dir, []string{"internal", "pkg/output", "pkg/api"}):
					t.Errorf("%s imports %s, which only the gateway and the commands that open one may", path, own)
				case own == "pkg/gateway/gatewaytest":
					t.Errorf("%s imports %s, which is for tests alone", path, own)
				case (own == "cmd" || own == "cmd/gateway") && (dir == "." || dir == "internal/reference"):
				case own == "cmd", strings.HasPrefix(own, "cmd/") && !under(dir, []string{"cmd"}):
					t.Errorf("%s imports %s, which is not for it", path, own)
				case strings.HasPrefix(own, "cmd/") && !strings.HasPrefix(own, "cmd/internal/") && dir != "cmd":
					t.Errorf("%s imports %s: packages of commands import cmd/internal and never each other", path, own)
				case strings.HasPrefix(own, "cmd/") && dir == "cmd/internal/cli" && !under(own, frame):
					t.Errorf("%s imports %s: the frame of the commands imports its own packages alone", path, own)
				case strings.HasPrefix(own, "cmd/") && !under(own, frame) && under(dir, frame):
					t.Errorf("%s imports %s: what the frame is made of takes what it needs, not the frame", path, own)
				}
				for _, room := range []string{"internal/sqltext", "internal/rowfile", "internal/rowset", "internal/intake",
					"internal/nearest", "internal/shell", "internal/retry", "internal/localstate", "pkg/spec",
					"pkg/late", "pkg/trinosql", "internal/tempfile", "pkg/openapi", "pkg/api", "pkg/config",
					"pkg/output", "pkg/gateway/safely", "pkg/gateway/damage", "pkg/gateway/store", "pkg/gateway/zone",
					"pkg/gateway/sql", "pkg/gateway/wire", "pkg/gateway/engine/enginetest", "pkg/gateway/engine",
					"pkg/gateway/connector",
					"pkg/gateway"} {
					if under(dir, []string{room}) {
						if !under(own, allowed[room]) {
							t.Errorf("%s imports %s; %s may import %v", path, own, room, allowed[room])
						}
						break
					}
				}
			}
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files read: %v", files, err)
	}
}

// TestClientLinksToNoEngine: the program passes the engine to its commands. What they import is the same for a build
// with an engine and for one without, and contains neither the engine nor a gateway, its store or its connectors to
// databases.
func TestClientLinksToNoEngine(t *testing.T) {
	linked := regexp.MustCompile(`^(github\.com/(duckdb|jackc/pgx|go-sql-driver)/|modernc\.org/sqlite|` +
		module + `pkg/gateway($|/store$|/hosted$|/connector/types$|/engine/duckdb))`)
	var both [2]string
	for i, cgo := range []string{"CGO_ENABLED=1", "CGO_ENABLED=0"} {
		list := func(packages ...string) []string {
			c := exec.Command("go", append([]string{"list", "-deps"}, packages...)...)
			c.Env, c.Stderr = append(os.Environ(), cgo), os.Stderr
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			return strings.Fields(string(out))
		}
		var own []string
		for _, name := range list("./cmd", "./cmd/internal/...") {
			if linked.MatchString(name) {
				t.Errorf("with %s the client links to %s", cgo, name)
			}
			if strings.HasPrefix(name, module) {
				own = append(own, name)
			}
		}
		both[i] = strings.Join(own, "\n")
		if program := list("."); slices.IndexFunc(program, linked.MatchString) < 0 || len(own) < 50 {
			t.Errorf("with %s the program links to no gateway, or the client to %d packages: this test sees nothing",
				cgo, len(own))
		}
	}
	if both[0] != both[1] {
		t.Errorf("the client imports other packages without cgo:\n%s\nand with it:\n%s", both[1], both[0])
	}
}

// TestOnePlace: what is kept by place is kept under the key that internal/localstate makes; other hashes of cmd are of
// contents, but for one that finds the files of earlier releases.
func TestOnePlace(t *testing.T) {
	var files []string
	for _, pattern := range []string{"cmd/*.go", "cmd/*/*.go", "cmd/internal/*/*.go"} {
		some, err := filepath.Glob(pattern)
		if err != nil || len(some) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, some...)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), "Sum256("); n > 0 && !strings.HasSuffix(path, "_test.go") &&
			(n > 1 || filepath.ToSlash(path) != "cmd/table/ledger.go") {
			t.Errorf("%s makes a key of its own", path)
		}
	}
}

// TestNoInit: nothing runs before main but what initializes package variables; every command would pay for it.
func TestNoInit(t *testing.T) {
	files := token.NewFileSet()
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen++
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: a function init", files.Position(fn.Pos()))
			}
		}
		return nil
	})
	if err != nil || seen < 500 {
		t.Errorf("%d files: %v", seen, err)
	}
}

// TestOneQuoting: names and values of SQL are quoted in internal/sqltext alone.
func TestOneQuoting(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if !strings.Contains(line, "ReplaceAll(") || !strings.Contains(line, "`\"`, `\"\"`") &&
				!strings.Contains(line, `"'", "''"`) && !strings.Contains(line, "`'`, `''`") && !strings.Contains(line,
				"\"`\", \"``\"") {
				continue
			}
			switch filepath.ToSlash(path) {
			case "internal/sqltext/quote.go":
				seen++
			case "pkg/gateway/tables/tables.go": // a field of CSV
			default:
				t.Errorf("%s:%d quotes by itself", path, i+1)
			}
		}
		return nil
	})
	if err != nil || seen != 3 {
		t.Errorf("%d places in internal/sqltext: %v", seen, err)
	}
}

// TestDatabasesOfTheirOwn: packages are tested at once against one server of each kind, so each asks testdb for its
// databases, and no name of a MariaDB database is that of two packages.
func TestDatabasesOfTheirOwn(t *testing.T) {
	call, name := regexp.MustCompile(`testdb\.MariaDB\(t((?:,\s+"[\w.]+")+)\)`), regexp.MustCompile(`"([\w.]+)"`)
	owner := map[string]string{}
	err := filepath.WalkDir("pkg", func(path string, d fs.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(path))
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || dir == "pkg/gateway/connector/testdb" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, server := range []string{"POSTGRES", "MARIADB"} {
			if strings.Contains(string(raw), `os.Getenv("DIG_TEST_`+server+`")`) {
				t.Errorf("%s uses DIG_TEST_%s by itself, not by pkg/gateway/connector/testdb", path, server)
			}
		}
		for _, c := range call.FindAllStringSubmatch(string(raw), -1) {
			for _, n := range name.FindAllStringSubmatch(c[1], -1) {
				if other, ok := owner[n[1]]; ok && other != dir {
					t.Errorf("%s and %s both use the MariaDB database %s", dir, other, n[1])
				}
				owner[n[1]] = dir
			}
		}
		return nil
	})
	if err != nil || len(owner) < 10 {
		t.Fatalf("%d databases: %v", len(owner), err)
	}
}
