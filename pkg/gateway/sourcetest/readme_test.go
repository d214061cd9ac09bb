package sourcetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds dig and returns its path and an environment of its own.
func program(t *testing.T) (dig string, env []string) {
	t.Helper()
	dir := t.TempDir()
	dig = filepath.Join(dir, "dig")
	if out, err := exec.Command("go", "build", "-o", dig, "../../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dig, append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "DIG_ZONE=local",
		"DIG_DATA_DIR="+filepath.Join(dir, "data"),
		"DIG_CONFIG_DIR="+filepath.Join(dir, "config"), "HOME="+dir, "DIG_KEY_STORAGE=file")
}

// The commands of the README's join work unchanged.
func TestReadmeJoin(t *testing.T) {
	pg := postgres(t)
	raw, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(raw), "## Join a PostgreSQL table with a Parquet file\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("the README has no such section")
	}
	script := "set -e\n"
	for _, line := range strings.Split(section, "\n") {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			script += code + "\n"
		}
	}
	_, env := program(t)
	pg.run(t, "DROP TABLE IF EXISTS public.orders;")
	defer pg.run(t, "DROP TABLE IF EXISTS public.orders;")
	var out []byte
	log := pg.logged(t, func() {
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = t.TempDir()
		cmd.Env = append(append(env, pg.env...), "DIG_OUTPUT=csv")
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\nof\n%s", err, out, script)
		}
	})
	if want := `SELECT "product_id", "amount" FROM "public"."orders" WHERE "amount" > $1`; !strings.Contains(log,
		want) {
		t.Errorf("the server was not sent %s", want)
	}
	_, result, ok := strings.Cut(string(out), "category,orders,total\n")
	if !ok {
		t.Fatalf("%s", out)
	}
	// Forty products have orders, one in nine of amount 0; PostgreSQL adds up those above 1.
	want := pg.run(t, "SELECT count(*) || ' ' || sum(amount) FROM public.orders WHERE amount > 1;")
	rows, n := strings.Split(strings.TrimSpace(result), "\n"), ""
	z := open(t)
	values := make([]string, len(rows))
	for i, r := range rows {
		cells := strings.Split(r, ",")
		if len(cells) != 3 {
			t.Fatalf("row %q of\n%s", r, out)
		}
		values[i] = "(" + cells[1] + ", " + cells[2] + ")"
	}
	got := z.query(t, "SELECT sum(n), sum(a) FROM (VALUES "+strings.Join(values, ", ")+") v(n, a)", "COMPACT")
	if n = *got.rows[0][0] + " " + *got.rows[0][1]; n != want {
		t.Errorf("the categories add up to %s, the table to %s:\n%s", n, want, result)
	}
}
