package trino_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	"github.com/google/uuid"
)

// past runs a statement past the gateway.
func past(ctx context.Context, c *protocol.Client, user, text string) (out string, err error) {
	q, err := c.Start(ctx, protocol.Request{SQL: text, User: user})
	if err != nil {
		return "", err
	}
	defer q.Close()
	for {
		p, err := q.Next(ctx)
		if p == nil {
			if err != nil && err.Error() == "EOF" {
				err = nil
			}
			return out, err
		}
		out += string(p.Data)
	}
}

// login lets a user of the cluster in by itself, with the password of dig, and returns its client.
func login(t *testing.T, o trino.Options, user string) *protocol.Client {
	t.Helper()
	path := os.Getenv("DIG_TEST_CLUSTER_USERS")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	if line := user + strings.TrimPrefix(first, "dig") + "\n"; !strings.Contains(string(raw), line) {
		raw = append(raw, line...)
	}
	if err := tempfile.WriteAll([]string{path}, func(string) []byte { return raw }); err != nil {
		t.Fatal(err)
	}
	o.User = user
	c, err := protocol.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for t.Context().Err() == nil {
		if _, err = past(t.Context(), c, "", "SELECT 1"); !errors.Is(err, protocol.ErrNotAdmitted) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func openSecure(t *testing.T) (trino.Options, *trino.Engine) {
	t.Helper()
	o := trinotest.Secure(t, t.TempDir())
	e, err := trino.Open(o, engine.Options{Dir: t.TempDir(), NewID: uuid.NewString})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return o, e.(*trino.Engine)
}

// TestPast: the user of a project, past the gateway, reads the tables of the project and nothing else.
func TestPast(t *testing.T) {
	o, e := openSecure(t)
	ids := []string{"alpha", "bravo", "alpha2", "Al_pha"}
	if err := e.Keep(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		p, err := e.Project(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.CreateTable(t.Context(), engine.SchemaTable, "things", engine.ColumnDef{Name: "x",
			Type: "varchar"}); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := e.DropProject(context.WithoutCancel(t.Context()), id); err != nil {
				t.Error(err)
			}
		}()
	}
	c := login(t, o, "dig-alpha")
	mine, theirs := "lake."+o.Prefix+"_alpha_table", "lake."+o.Prefix+"_bravo_table"
	if got, err := past(t.Context(), c, "", "SELECT count(*) FROM "+mine+".things"); err != nil || got != "[[0]]" {
		t.Fatal(got, err)
	}
	for _, text := range []string{"SHOW CATALOGS", "SHOW SCHEMAS FROM lake",
		"SELECT table_schema FROM lake.information_schema.tables",
		"SELECT table_schema FROM lake.information_schema.columns",
		"SELECT table_schema FROM lake.information_schema.table_privileges"} {
		got, err := past(t.Context(), c, "", text)
		for _, other := range []string{"bravo", "alpha2", "0x", "tpch", "memory", "pg", "system", "canary"} {
			if err != nil || strings.Contains(got, other) {
				t.Errorf("%s: %s %v", text, got, err)
			}
		}
	}
	for _, text := range []string{"SELECT * FROM THEIRS.things", "TABLE THEIRS.things",
		`SELECT * FROM THEIRS."things$files"`, `SELECT * FROM THEIRS."things$history"`,
		"SELECT (SELECT max(x) FROM THEIRS.things)", "EXPLAIN SELECT * FROM THEIRS.things",
		"EXPLAIN ANALYZE SELECT * FROM THEIRS.things", "EXECUTE IMMEDIATE 'SELECT * FROM THEIRS.things'",
		"SHOW STATS FOR THEIRS.things", "DESCRIBE THEIRS.things", "SHOW TABLES FROM THEIRS",
		"SHOW CREATE TABLE THEIRS.things", "SHOW CREATE SCHEMA THEIRS", "ANALYZE THEIRS.things",
		"SELECT * FROM TABLE(lake.system.table_changes('" + theirs[5:] + "', 'things', 1, 2))",
		"INSERT INTO THEIRS.things SELECT * FROM MINE.things", "DELETE FROM THEIRS.things",
		"UPDATE THEIRS.things SET x = '1'", "TRUNCATE TABLE THEIRS.things", "DROP TABLE THEIRS.things",
		"DROP SCHEMA THEIRS CASCADE", "ALTER TABLE THEIRS.things RENAME TO MINE.stolen",
		"ALTER SCHEMA THEIRS RENAME TO stolen", "ALTER TABLE THEIRS.things EXECUTE optimize",
		"ALTER TABLE THEIRS.things EXECUTE expire_snapshots", "COMMENT ON TABLE THEIRS.things IS 'x'",
		"ALTER TABLE THEIRS.things EXECUTE add_files(location => 'local:///stage', format => 'PARQUET')",
		"GRANT SELECT ON THEIRS.things TO USER \"dig-alpha\"",
		"CREATE VIEW MINE.v AS SELECT * FROM THEIRS.things", "CREATE TABLE MINE.t AS SELECT 1 AS x",
		"DELETE FROM MINE.things", "DROP TABLE MINE.things", "CREATE SCHEMA lake.mine",
		"ALTER TABLE MINE.things EXECUTE add_files(location => 'local:///stage', format => 'PARQUET')",
		"CALL lake.system.unregister_table('" + theirs[5:] + "', 'things')",
		"CALL lake.system.register_table('" + mine[5:] + "', 'stolen', 'local:///warehouse')",
		"CREATE FUNCTION MINE.f() RETURNS bigint RETURN 1", "CREATE ROLE r",
		"CREATE CATALOG c USING memory", "DROP CATALOG lake", "SELECT * FROM tpch.tiny.nation",
		"SELECT * FROM memory.information_schema.tables", "SELECT * FROM pg.information_schema.tables",
		"SELECT * FROM TABLE(pg.system.query(query => 'SELECT 1 AS x'))",
		"SELECT * FROM system.runtime.queries", "SELECT * FROM system.runtime.nodes",
		"SELECT * FROM system.metadata.catalogs", "SELECT * FROM system.metadata.table_comments",
		"SELECT * FROM system.jdbc.tables", "SELECT * FROM system.jdbc.columns",
		"CALL system.runtime.kill_query('x')", "SET SESSION query_max_memory = '1GB'"} {
		text = strings.NewReplacer("THEIRS", theirs, "MINE", mine).Replace(text)
		var answered *protocol.Error
		if got, err := past(t.Context(), c, "", text); !errors.As(err, &answered) ||
			answered.Name != "PERMISSION_DENIED" {
			t.Errorf("%s: %s %v", text, got, err)
		}
	}
	for _, user := range []string{"dig", "dig-bravo", "dig-nobody"} {
		var answered *protocol.Error
		if _, err := past(t.Context(), c, user, "SELECT 1"); !errors.As(err, &answered) ||
			answered.Name != "PERMISSION_DENIED" {
			t.Errorf("as %s: %v", user, err)
		}
	}
}

// bent is a project whose names are found wrongly: they are those of another project.
type bent struct {
	engine.Project
	text string
}

func (b bent) BaseTable(_ context.Context, n engine.TableName) (*engine.BaseTable, error) {
	return &engine.BaseTable{Name: n, Columns: []analyze.TableColumn{{Name: "x", Type: types.Of(types.Varchar)}},
		Private: trino.Reading(b.text)}, nil
}

// TestSecondLayer: a statement that the gateway would write wrongly is refused by the cluster.
func TestSecondLayer(t *testing.T) {
	o, e := openSecure(t)
	ctx := t.Context()
	if err := e.Keep(ctx, "alpha", "bravo"); err != nil {
		t.Fatal(err)
	}
	var all []engine.Project
	for _, id := range []string{"alpha", "bravo"} {
		p, err := e.Project(ctx, id)
		if err == nil {
			_, err = p.CreateTable(ctx, engine.SchemaTable, "things", engine.ColumnDef{Name: "x", Type: "varchar"})
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		defer func() {
			if err := e.DropProject(context.WithoutCancel(ctx), id); err != nil {
				t.Error(err)
			}
		}()
	}
	if found, err := e.Examine(ctx); err != nil || found.Lacks != nil ||
		!strings.Contains(found.Detail, "tables of others") {
		t.Errorf("%+v %v", found, err)
	}
	for of, refused := range map[string]bool{"alpha": false, "bravo": true} {
		p := bent{all[0], "SELECT x FROM lake." + o.Prefix + "_" + of + "_table.things"}
		x, err := sql.Read(ctx, p, sql.Query{SQL: `SELECT x FROM peaka."table".things`, Catalogs: sql.Own{}})
		if err != nil {
			t.Fatal(err)
		}
		run := func() error {
			rows, err := p.Run(ctx, x)
			if err == nil {
				err = rows.Close()
			}
			return err
		}
		store := func() error { _, err := p.Store(ctx, "mtquery", "r"+of, x); return err }
		plan := func() error { _, err := p.Plan(ctx, x); return err }
		for what, do := range map[string]func() error{"run": run, "store": store, "plan": plan,
			"check": func() error { return p.Check(ctx, x) }} {
			err := do()
			var ee *engine.Error
			if is := errors.As(err, &ee) && ee.Kind == engine.KindNotAllowed; is != refused || !is && err != nil {
				t.Errorf("%s of %s: %v", what, of, err)
			}
		}
	}
}
