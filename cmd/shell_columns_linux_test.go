package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestShellOfAWideTable: a table that another window makes is completed, its own columns come before the system columns
// wherever a person reads them, and notes name what the shell has, no flags.
func TestShellOfAWideTable(t *testing.T) {
	home := t.TempDir()
	x, end := inShell(t, home, map[string]string{"NO_COLOR": "1"})
	at := x.shows(0, "dig local> ")
	names, values := make([]string, 12), make([]string, 12)
	for i := range names {
		names[i], values[i] = fmt.Sprintf("measure_of_%02d", i), "1000"
	}
	file := filepath.Join(home, "quarters.csv")
	if err := os.WriteFile(file, []byte(strings.Join(names, ",")+"\n"+strings.Repeat(strings.Join(values, ",")+"\n",
		9)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := Run(context.Background(), &cli.Env{Zone: local(), Name: "dig",
		Args: []string{"table", "import", "quarters", file,
			"--create"}, In: strings.NewReader(""), Out: io.Discard, Err: x.tty, Dir: home, Now: time.Now,
		Getenv: environ(t, shellDirs(home))}); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, x.screen())
	}
	at = x.shows(at, "imported 9 rows into quarters")
	x.types("select * from quar")
	for deadline := time.Now().Add(time.Minute); !strings.Contains(plainText(x.screen()[at:]),
		"quarters"); time.Sleep(100 * time.Millisecond) {
		if x.types("\t"); time.Now().After(deadline) {
			t.Fatalf("the table is not completed:\n%q", x.screen()[at:])
		}
	}
	x.types(" where \t")
	menu := x.shows(at, "measure_of_00")
	if strings.Contains(plainText(x.screen()[at:menu]), "_version") {
		t.Errorf("system columns first:\n%s", plainText(x.screen()[at:menu]))
	}
	x.types("\x03")
	at = x.shows(menu, "^C")
	x.types("select * from quarters;\r")
	at = x.shows(at, "system columns hidden")
	shown := strings.Join(strings.Fields(plainText(x.screen())), " ")
	if !strings.Contains(shown, `\b or \x show others`) || strings.Contains(shown, "--vertical") ||
		strings.Contains(shown, "--all") {
		t.Errorf("the footer:\n%s", shown)
	}
	x.types("\\d quarters\r")
	at = x.shows(at, "measure_of_11")
	x.shows(at, "_session")
	x.types("\\b\r")
	at = x.shows(at, "column 1 of 20: measure_of_00")
	x.types("q")
	at = x.shows(at, "dig local> ")
	x.types("\\chart hist measure_of_00\r")
	at = x.shows(at, "1000")
	at = x.shows(at, "dig local> ")
	x.types("\\o r.csv\rselect 0 as z;\r\\o r{n}.csv\rselect 1 as x;\rselect x + 1 as y from _;\r")
	at = x.shows(at, "wrote the result to r1.csv")
	x.shows(at, "wrote the result to r2.csv")
	for name, want := range map[string]string{"r1.csv": "x\n1\n", "r2.csv": "y\n2\n"} {
		if raw, err := os.ReadFile(filepath.Join(home, name)); err != nil || string(raw) != want {
			t.Errorf("%s: %q, %v", name, raw, err)
		}
	}
	x.types("\x04")
	if code := end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
}
