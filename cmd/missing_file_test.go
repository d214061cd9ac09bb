package cmd

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/spf13/pflag"
)

// writes are the flags whose file or folder is made or may be missing.
var writes = []string{"out", "out-dir", "key-file", "download", "write-columns", "manifest", "all", "secrets-from",
	"trino-stage", "trino-rules"}

// missingFile is the value of a flag that names a file which does not exist; "" for a flag that reads none.
func missingFile(f *pflag.Flag) string {
	file, _ := complete.TakesFile(f.Name)
	switch {
	case strings.Contains(f.Usage, "FIELD=@FILE"):
		return "path=@none"
	case strings.Contains(f.Usage, "@FILE") && strings.Contains(f.Usage, "=VALUE"):
		return "x=@none"
	case strings.Contains(f.Usage, "@FILE"):
		return "@none"
	case file && f.Value.Type() != "bool" && !slices.Contains(writes, f.Name):
		return "none"
	}
	return ""
}

// besides are the flags that a flag needs.
func besides(f *pflag.Flag) []string {
	switch {
	case f.Name == "tls-cert":
		return []string{"--tls-key", "none"}
	case f.Name == "tls-key":
		return []string{"--tls-cert", os.DevNull} // which exists
	case f.Name == "store-password-file":
		return []string{"--store", "postgres://dig@127.0.0.1:1/dig"}
	case strings.HasPrefix(f.Name, "trino-"):
		return []string{"--engine", "trino", "--trino-url", "https://127.0.0.1:1"}
	}
	return nil
}

// TestMissingFile: a file that does not exist has one exit code, whichever flag or argument names it. Commands that
// compare end with 2, as diff(1).
func TestMissingFile(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	type place struct{ command, flag string }
	// the lines give the statement another way, which excludes the flag; see the lines below
	alone := []place{{"dig query execute", "builder"}, {"dig query create", "file"}, {"dig query ensure", "file"},
		{"dig gateway restore", "passphrase-file"}, {"dig gateway verify", "passphrase-file"}}
	codes := map[place][]int{}
	for _, l := range readTellLines(w.vars) {
		c, _ := commandOf(t, l.args)
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			value, at := missingFile(f), place{c.CommandPath(), f.Name}
			if value == "" || slices.Contains(l.args, "--"+f.Name) || slices.Contains(alone, at) ||
				slices.Contains(codes[at], 3) {
				return
			}
			code, _, errs := w.run(slices.Concat(l.args, besides(f), []string{"--" + f.Name, value, "--dry-run"})...)
			codes[at] = append(codes[at], code)
			if code == 3 && !strings.Contains(errs, "none: no such file or directory") {
				t.Errorf("%s --%s: %s", strings.Join(l.args, " "), f.Name, errs)
			}
		})
	}
	for at, all := range codes {
		if !slices.Contains(all, 3) {
			t.Errorf("%s --%s of a missing file: exit %v", at.command, at.flag, all)
		}
	}
	if len(codes) < 40 {
		t.Errorf("only %d flags that read a file were found", len(codes))
	}
	for line, want := range map[string]int{
		"table import people none.csv": 3, "table import fresh none.csv --create": 3,
		"bitable import sales none.csv": 3,
		"query execute --builder none":  3, "query create fresh -f none": 3, "query ensure fresh -f none": 3,
		"sql none.csv": 3, "sql none.sql": 3, "sql @none": 3, "sql -f none": 3, "sql format none": 3,
		"gateway restore none": 3, "gateway restore $CSV --passphrase-file none": 3,
		"gateway verify none": 3, "gateway verify $CSV --passphrase-file none": 3,
		"project import none.tar --yes": 3, "apply none": 3, "plan none": 2, "diff none": 2,
		"query diff none.csv last": 2, "sql SELECT~*~FROM~'none.csv'": 3,
	} {
		args := strings.Fields(w.vars.Replace(line))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		if code, out, errs := w.run(args...); code != want {
			t.Errorf("%s: exit %d, want %d: %s%s", line, code, want, out, errs)
		}
	}
	w.env["DIG_API_KEY"] = testKey
	for _, name := range []string{"DIG_CA_FILE", "DIG_CLIENT_CERT"} {
		w.env[name] = "none"
		code, _, errs := w.run("info", "--zone", "us", "--project", "p", "--dry-run")
		if code != 3 || !strings.Contains(errs, "(environment "+name+"): none: no such file or directory") {
			t.Errorf("%s: exit %d: %s", name, code, errs)
		}
		delete(w.env, name)
	}
}
