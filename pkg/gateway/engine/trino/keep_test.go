package trino

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/google/uuid"
)

// coordinator answers each statement at once: with no row, or as refuses says.
type coordinator struct {
	authenticates bool
	refuses       func(user, text string) bool
	schemas       string // as rows, for the gateway's user
}

func (c *coordinator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := r.BasicAuth(); c.authenticates && password != "right" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	text, _ := io.ReadAll(r.Body)
	user := r.Header.Get("X-Trino-User")
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, `{"id":"1","columns":[{"name":"a","type":"varchar"}],"data":`+c.schemas+`}`)
		return
	}
	if c.refuses != nil && c.refuses(user, string(text)) {
		_, _ = io.WriteString(w, `{"id":"1","error":{"message":"Access Denied","errorName":"PERMISSION_DENIED",`+
			`"errorType":"USER_ERROR"}}`)
		return
	}
	if c.schemas != "" && user == "dig" && strings.HasPrefix(string(text), "SELECT schema_name") {
		_, _ = io.WriteString(w, `{"id":"1","nextUri":"https://localhost/v1/statement/executing/1"}`)
		return
	}
	_, _ = io.WriteString(w, `{"id":"1"}`)
}

// engineOver is an engine over a coordinator; change may change its options.
func engineOver(t *testing.T, c *coordinator, change func(*Options)) *Engine {
	t.Helper()
	s := httptest.NewTLSServer(c)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	o := Options{Options: protocol.Options{URL: s.URL, User: "dig", PasswordFile: filepath.Join(dir, "password"),
		CAFile: filepath.Join(dir, "ca.pem")}, Catalog: "lake", Guard: Guard{ProjectUser: "dig-{project}"}}
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for name, text := range map[string]string{o.PasswordFile: "right\n", o.CAFile: authority} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(&o)
	e, err := Open(o, engine.Options{Dir: dir, NewID: uuid.NewString})
	if err != nil {
		t.Fatal(err)
	}
	return e.(*Engine)
}

// strict refuses what a cluster must: all that names the canary or another catalog, to the users of projects.
func strict(user, text string) bool {
	return user != "dig" && (strings.Contains(text, "canary") ||
		strings.Contains(text, `"pg"`) && user != "dig-a" || strings.Contains(text, "system.") ||
		strings.Contains(text, "CREATE"))
}

// TestKeep: several projects are served by a cluster that keeps them apart, one by every cluster.
func TestKeep(t *testing.T) {
	for name, c := range map[string]struct {
		at     coordinator
		change func(*Options)
		want   string // in the error for a second project
	}{
		"protected":   {at: coordinator{authenticates: true, refuses: strict}},
		"one user":    {coordinator{authenticates: true}, func(o *Options) { o.ProjectUser = "" }, "those of one user"},
		"no password": {at: coordinator{refuses: strict}, want: "takes no credential"},
		"no rules":    {at: coordinator{authenticates: true}, want: "may read the statements of others"},
		"tables seen": {at: coordinator{authenticates: true, refuses: func(user, text string) bool {
			return strict(user, text) && !strings.HasPrefix(text, "SELECT * FROM")
		}}, want: "may read tables of other projects"},
		"catalog read": {coordinator{authenticates: true, refuses: strict}, func(o *Options) {
			o.Catalogs = []engine.Mapping{{Catalog: "other", Project: "alpha", Connection: "c"}}
		}, "may read catalog other"},
		"no impersonation": {at: coordinator{authenticates: true, refuses: func(user, text string) bool {
			return user == "dig-bravo" || strict(user, text)
		}}, want: `cannot act as "dig-bravo"`},
		"nevertheless": {coordinator{}, func(o *Options) { o.Unprotected, o.ProjectUser = true, "" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change == nil {
				c.change = func(*Options) {}
			}
			e := engineOver(t, &c.at, c.change)
			if err := e.Keep(t.Context(), "alpha"); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a refused project stays refused
				err := e.Keep(t.Context(), "bravo")
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// TestExamine: what a check of the installation finds, and that it changes nothing.
func TestExamine(t *testing.T) {
	const two = `[["p_alpha_table"],["p_alpha_mtquery"],["p_0x4272_table"],["p_canary"],["x_y_z"],["p_0xzz_table"]]`
	careful := func(user, text string) bool {
		if !strings.HasPrefix(text, "SELECT ") {
			t.Errorf("%s sends %s", user, text)
		}
		return strict(user, text)
	}
	for name, c := range map[string]struct {
		at      coordinator
		user    string
		several bool
		want    string // of the detail, or the error
	}{
		"protected":   {coordinator{true, careful, two}, "dig-{project}", true, "(2): it refuses the catalog system"},
		"empty":       {coordinator{true, careful, `[]`}, "dig-{project}", false, "no project has tables"},
		"one user":    {coordinator{true, careful, two}, "", true, "those of one user"},
		"no password": {coordinator{false, careful, two}, "dig-{project}", true, "takes no credential"},
		"no rules":    {coordinator{true, nil, two}, "dig-{project}", true, "may read the statements of others"},
		"single":      {coordinator{false, careful, `[["p_a_b"]]`}, "", false, "takes no credential"},
		"not admitting": {coordinator{true, func(string, string) bool { return true }, two}, "", false,
			"Access Denied"},
	} {
		t.Run(name, func(t *testing.T) {
			e := engineOver(t, &c.at, func(o *Options) { o.ProjectUser = c.user })
			got, err := e.Examine(t.Context())
			text := got.Detail
			if err = errors.Join(err, got.Lacks); err != nil {
				text = err.Error()
			}
			if got.Several != c.several || !strings.Contains(text, c.want) {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}

// TestRulesFile: the file has the projects before Keep returns, and those only that are known.
func TestRulesFile(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base.json")
	others := `{"catalogs":[{"user":"ann","allow":"all"}],"roles":[{"x":1}]}`
	if err := os.WriteFile(base, []byte(others), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.json")
	at := &coordinator{authenticates: true, refuses: strict}
	e := engineOver(t, at, func(o *Options) {
		o.Rules, o.RulesBase = path, base
		o.Catalogs = []engine.Mapping{{Catalog: "pg", Project: "a", Connection: "c"}}
	})
	read := func() map[string][]map[string]any {
		t.Helper()
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string][]map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	// privileges are those of the first rule that matches, as Trino does it
	privileges := func(user, schema string) int {
		t.Helper()
		catalog, schema, ok := strings.Cut(schema, ".")
		if !ok {
			catalog, schema = "lake", catalog
		}
		for _, r := range read()["tables"] {
			matches := true
			for key, value := range map[string]string{"user": user, "catalog": catalog, "schema": schema,
				"table": "t"} {
				if pattern, ok := r[key].(string); ok {
					matches = matches && regexp.MustCompile("^(?:"+pattern+")$").MatchString(value)
				}
			}
			if matches {
				return len(r["privileges"].([]any))
			}
		}
		return 0
	}
	if err := e.Keep(t.Context(), "alpha", "alpha2", "Br_avo", "a"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, schema string
		want         int
	}{{"dig", "p_alpha_table", 5}, {"dig-alpha", "p_alpha_table", 1}, {"dig-alpha", "p_alpha_mtquery", 1},
		{"dig-alpha", "p_alpha2_table", 0}, {"dig-a", "p_alpha_table", 0}, {"dig-alpha", "p_alpha_table_x", 0},
		{"dig-alpha", "xp_alpha_table", 0}, {"dig-alpha", "p_canary", 0}, {"dig-Br_avo", "p_0x42725f61766f_table", 1},
		{"dig-Br_avo", "p_br_avo_table", 0}, {"dig-nobody", "p_alpha_table", 0}, {"ann", "p_alpha_table", 0},
		{"xdig-alpha", "p_alpha_table", 0}, {"digxalpha", "p_alpha_table", 0},
		{"dig-a", "pg.public", 1}, {"dig", "pg.public", 1}, {"dig-alpha", "pg.public", 0}} {
		if got := privileges(c.user, c.schema); got != c.want {
			t.Errorf("%s has %d privileges in %s", c.user, got, c.schema)
		}
	}
	if last := read()["catalogs"]; last[len(last)-1]["user"] != "ann" || read()["roles"] == nil {
		t.Errorf("the rules of others are not at the end: %v", last)
	}
	if err := e.DropProject(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	if got := privileges("dig-alpha", "p_alpha_table"); got != 0 {
		t.Errorf("a dropped project has %d privileges", got)
	}
	at.refuses = func(user, text string) bool { return user == "dig-late" && strings.Contains(text, "CREATE") }
	if err := e.Keep(t.Context(), "late"); err == nil {
		t.Error("the cluster lets a project read tables of others")
	} else if privileges("dig-late", "p_late_table") != 0 || privileges("dig-a", "p_a_table") != 1 {
		t.Error("the rules have a project that was refused, or have lost another")
	}
}

func TestGuardOptions(t *testing.T) {
	for _, g := range []Guard{{Rules: "r"}, {ProjectUser: "{project}"}, {ProjectUser: "dig"},
		{ProjectUser: "d{project}"}, {ProjectUser: "a{project}{project}"},
		{ProjectUser: "a-{project}", RulesBase: "b"}} {
		o := Options{Options: protocol.Options{URL: "http://localhost", User: "dig"}, Guard: g}
		if _, err := Open(o, engine.Options{}); err == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
	for _, list := range [][]string{{"pg"}, {"pg=a"}, {"=a/b"}, {"pg=/b"}, {"pg=a/"}, {"pg=a/b/c"}, {"Pg=a/b"},
		{"lake=a/b"}, {"system=a/b"}, {"pg=a/b", "pg2=a/b"}} {
		o := Options{Options: protocol.Options{URL: "http://localhost", User: "dig"}, Catalog: "lake"}
		var err error
		for _, text := range list {
			var m engine.Mapping
			if m, err = ParseMapping(text); err != nil {
				break
			}
			o.Catalogs = append(o.Catalogs, m)
		}
		if err == nil {
			_, err = Open(o, engine.Options{})
		}
		if err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}
