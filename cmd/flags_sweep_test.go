package cmd

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sweepSetup makes what the command lines below work on. {dir} is a folder with a file, {name of a run} what an earlier
// line printed as its id.
var sweepSetup = []string{
	`table create t --column a:varchar --column b:bigint`, `bitable create bt --column a:varchar`,
	`query create q --sql SELECT_1_AS_x`, `query create m --sql SELECT_1_AS_x --type MATERIALIZED --wait`,
	`query folder create fo`,
	`connection create files --type files --credential path={dir}`, `catalog create shop --connection files`,
	`cache create sample shop customers --wait`, `semantic-catalog create sem`,
}

// sweepLines are command lines that work, one for each command that may change something, in an order in which they can
// run. Lines that begin with ! are of operations that zone local refuses, or are refused for want of a provider.
var sweepLines = []string{
	`!agent chat hello`, `!agent stream hello`, `!agent history delete th --yes`,
	`!agent thread rename th name`, `!agent thread delete th --yes`, `!embed init --mode FULL_STUDIO`,
	`!connection oauth complete state=x`,
	`!metadata semantics sample shop.orders`,
	`workspace create w2`, `workspace update w2 --name w3`, `workspace delete w3 --yes`,
	`project create p2`, `project update p2 --name p3`, `project delete p3 --yes`,
	`api-key create k2 --expires 30d`, `api-key rotate k2 --key-file k2.key --expires 30d --yes`,
	`api-key delete k2 --yes`,
	`table create t2 --column a:varchar`, `table column add t c --type date`, `table column update t c --name d`,
	`table column delete t d --yes`,
	`table import t {csv}`, `table rows delete t --where false --yes --confirm t`, `table copy t t3`,
	`table rename t3 t4`, `table truncate t4 --yes`, `table delete t2 --yes`,
	`bitable create bt2 --column a:varchar`, `bitable column add bt c --type date`,
	`bitable column update bt c --name d`, `bitable column delete bt d --yes`,
	`bitable import bt {csv}`, `bitable rows delete bt --where false --yes --confirm bt`, `bitable copy bt bt4`,
	`bitable rename bt4 bt5`, `bitable truncate bt5 --yes`, `bitable delete bt2 --yes`,
	`query create q2 --sql SELECT_1_AS_x`, `query update q2 --name q3`, `query move q3 /fo`,
	`query materialize q3 --wait`, `query folder update /fo --add q`,
	`query folder create g`, `query folder rename /g --body {"name":"h"}`, `query folder move /h /fo`,
	`query folder delete /fo/h --yes`,
	`materialized refresh m --wait`, `materialized cancel m`, `query delete q3 --yes`, `query folder prune --yes`,
	`cache create sample shop orders --wait`, `cache ensure sample shop orders --full-every 1d`,
	`cache update sample shop orders --full-every 1h`,
	`cache refresh sample shop orders --full --wait`, `!cache cancel sample shop orders --full`,
	`cache batch sample.shop.products`, `cache delete sample shop orders --yes`,
	`export query q --wait`, `export table sample shop orders --wait`,
	`!export cancel 7d6f3a52-8c1e-4a53-9a39-1f4a3a1f7f10`,
	`connection update files --name more`, `catalog create again --connection more`,
	`!catalog share shop --to {project}`, `catalog delete again --yes`,
	`connection create x --type files --credential path={dir}`,
	`connection delete x --yes`,
	`metadata set sample shop.orders --description d`, `metadata ai sample.shop --allow`,
	`metadata callback set http://127.0.0.1:1/x`, `metadata callback unset --yes`,
	`metadata categorical generate sample.shop.orders.status`,
	`metadata categorical delete sample.shop.orders.status --yes`,
	`metadata golden-sql create --prompt p --sql SELECT_1_AS_x`,
	`metadata golden-sql delete {metadata golden-sql create} --yes`, `metadata refresh sample --wait`,
	`metadata relation add sample.shop.orders.customer_id --to sample.shop.customers.id`,
	`metadata relation update sample {metadata relation add} --type ONE_TO_ONE`,
	`metadata relation delete sample {metadata relation add} --yes`,
	`parametric-table create shop --from files.orders --to daily.orders --param id=1`,
	`parametric-table delete shop daily.orders --yes`,
	`semantic-catalog create sem2`, `semantic-catalog table create sem sales.monthly --query q`,
	`!semantic-catalog share sem --to {project}`, `semantic-catalog table delete sem sales.monthly --yes`,
	`table ensure t --column a:varchar --column e:date`, `bitable ensure bt3 --column a:varchar`,
	`query ensure q9 --sql SELECT_1_AS_x`, `query folder ensure g/h`,
	`connection ensure more --type files --credential path={dir}`, `catalog ensure shop --connection more`,
	`gateway compact`, `!gateway backup zone.tar`, `!project import none.tar`, `apply {files} --yes`,
}

// TestFlagsFirst: no command line that ends with "nothing was sent" (2) has sent anything but reads. What is wrong with
// the flags of every command is wrong for each command that changes something; flags of its own are given wrong values
// of all kinds.
func TestFlagsFirst(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "orders.csv"), []byte("id,n\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &cli.Env{Zone: local(), Name: "dig", Getenv: os.Getenv}
	root := newRootCmd(e)
	f, words, made := sweepFront(t, dir)
	for _, line := range sweepLines { // they work, and print what they are said to print
		args := words(line)
		c, _, err := root.Find(args)
		if err != nil {
			t.Fatal(err)
		}
		code, out, errs := f.dig(append(args, "-o", "json")...)
		if (code != 0) != strings.HasPrefix(line, "!") || code == exitcode.Usage {
			t.Errorf("dig %s: exit %d: %s", strings.Join(args, " "), code, errs)
		}
		remember(made, c, out)
		if c.Annotations[cli.LeafAnnotation] == "" { // it prints what it has done by many operations
			continue
		}
		known := e.Fields(c)
		for _, name := range keysOf(out) {
			if !known.Has(name) {
				t.Errorf("dig %s prints %q, which --columns would not know: %v", strings.Join(args, " "),
					name, known.Names)
			}
		}
	}
	f, words, made = sweepFront(t, dir)
	left := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if cli.Changing(c) {
			left[c.CommandPath()] = true
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	tried := 0
	wrong := func(args []string, must bool, more ...string) {
		t.Helper()
		f.sent()
		line := slices.Concat(args, more)
		code, _, errs := f.dig(line...)
		sent := f.sent()
		tried++
		if code == exitcode.Usage && sent != "" || strings.Contains(errs, "after-change") || strings.Contains(errs,
			"detected only after") {
			t.Errorf("dig %s: exit %d after %s was sent: %s", strings.Join(line, " "), code, sent, errs)
		}
		if must && (code == 0 || sent != "") { // 2, unless something that it names is not there
			t.Errorf("dig %s: exit %d, sent %q: %s", strings.Join(line, " "), code, sent, errs)
		}
	}
	for _, line := range sweepLines {
		args := words(line)
		c, _, err := root.Find(args)
		if err != nil {
			t.Fatal(err)
		}
		delete(left, c.CommandPath())
		for _, more := range [][]string{
			{"--columns", "nope"}, {"-o", "nosuch"}, {"--jq", ".["}, {"--jq", ".", "-o", "csv"}, {"--jq", "nosuch(1)"},
			{"--out", "/no/such/folder/file"}, {"--out", dir},
			{"--timeout", "soon"}, {"--timeout", "-1s"}, {"--retries", "-1"}, {"--retries", "many"},
			{"--null", "x", "-o", "json"}, {"--no-header", "-o", "json"},
			{"--color", "x"}, {"--columns", ""}, {"--nosuch"}, {"one-more", "and-one-more", "and-another", "too-many"},
		} {
			// of imports, with a meaning of its own
			if more[0] == "--null" && c.LocalNonPersistentFlags().Lookup("null") != nil {
				continue
			}
			if more[0] == "one-more" && strings.HasPrefix(line, "cache batch") {
				more[0] = "no-name"
			}
			wrong(args, true, more...)
		}
		c.LocalFlags().VisitAll(func(fl *pflag.Flag) {
			var values []string
			must := false
			switch fl.Value.Type() {
			case "int", "int64", "duration":
				values, must = []string{"-1s", "-1", "x", ""}, true
			case "bool":
				values, must = []string{"perhaps"}, true
			default:
				values = []string{"", "nope", "@/no/such/file", "{", "a=", "-1"}
				must = fl.Name == "body" // none of them is a request
			}
			if fl.Name == "help" {
				return
			}
			for _, v := range values {
				wrong(args, must && (v != "" || fl.Value.Type() != "string"), "--"+fl.Name+"="+v)
			}
			for _, v := range sweepEnums[fl.Name] {
				if fl.Name == "column" && strings.HasPrefix(line, "export") {
					continue // the columns of a result
				}
				wrong(args, true, "--"+fl.Name+"="+v)
			}
		})
		_, out, _ := f.dig(append(args, "-o", "json")...) // for the lines after it
		remember(made, c, out)
	}
	for path := range left {
		t.Errorf("%s may change something and has no line here", path)
	}
	t.Logf("%d wrong command lines", tried)
}

// sweepEnums are wrong values of flags that take one of a few.
var sweepEnums = map[string][]string{
	"type": {"nope"}, "mode": {"nope"}, "format": {"nope"}, "compression": {"nope"}, "every": {"soon", "-1h", "0s"},
	"cron": {"x", "* *"}, "timezone": {"Mars/Olympus"},
	"expires": {"soon", "2001-01-01"}, "full-every": {"soon", "-1h"}, "incremental-every": {"soon"},
	"download": {"/no/such/folder/file"}, "key-file": {"/no/such/folder/file"},
	"credential-file": {"/no/such/file"}, "file": {"/no/such/file"}, "map": {"x", "=x", "a="},
	"column": {"x", ":varchar", "a:nope"}, "quote-char": {"ab"},
	"record-separator": {"x"}, "feature": {"x=perhaps"}, "extra": {"{", "@/no/such/file"},
}

// sweepFront is a gateway with what the lines need, and what makes a line the words of a command line.
func sweepFront(t *testing.T, dir string) (f *front, words func(string) []string, made map[string]string) {
	t.Helper()
	f = newFront(t, "local")
	made = map[string]string{"dir": dir, "csv": f.file("rows.csv", "a\nx\n"), "project": f.env()["DIG_PROJECT"]}
	words = func(line string) []string {
		line = strings.TrimPrefix(line, "!")
		for k, v := range made {
			line = strings.ReplaceAll(line, "{"+k+"}", v)
		}
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "SELECT_1_AS_x", "SELECT 1 AS x")
		}
		return args
	}
	f.file("files/dig.yaml", "version: 1\n")
	made["files"] = filepath.Dir(f.file("files/queries/told.sql", "SELECT 1 AS n\n"))
	made["files"] = filepath.Dir(made["files"])
	for _, line := range sweepSetup {
		f.want(0, words(line)...)
	}
	return f, words, made
}

// remember keeps the id that a command printed under the command's name.
func remember(made map[string]string, c *cobra.Command, out string) {
	var v map[string]any
	if json.Unmarshal([]byte(out), &v) == nil {
		if id, ok := v["id"].(string); ok {
			made[strings.TrimPrefix(c.CommandPath(), "dig ")] = id
		}
	}
}

// keysOf are the members of an object, or of the first of a list.
func keysOf(out string) []string {
	var v any
	if json.Unmarshal([]byte(out), &v) != nil {
		return nil
	}
	if l, ok := v.([]any); ok && len(l) > 0 {
		v = l[0]
	}
	m, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}
