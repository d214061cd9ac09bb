package sourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// Several catalogs share one connection; each lists schemas, tables, comments, statistics and whether its tables can be
// cached, and is deleted without affecting the others.
func TestCatalogsOverDatabases(t *testing.T) {
	for name, c := range map[string]struct {
		server      func(*testing.T) server
		setup, want string // the columns as name type comment notNull
		statistics  string // their prefix: the rest is an estimate
	}{
		"postgres": {postgres,
			`DROP SCHEMA IF EXISTS "Shelf" CASCADE; CREATE SCHEMA "Shelf"; CREATE TABLE "Shelf"."Books"(id bigint PRIMARY KEY, "Title" varchar(80) NOT NULL, price numeric(8,2), tags text[], added timestamptz, "order" jsonb);
COMMENT ON COLUMN "Shelf"."Books"."Title" IS 'as on the cover, "quoted" ☃'; COMMENT ON TABLE "Shelf"."Books" IS 'books';
INSERT INTO "Shelf"."Books" SELECT g, 'book ' || g % 4, g FROM generate_series(1, 100) g; CREATE VIEW "Shelf".cheap AS SELECT id FROM "Shelf"."Books" WHERE price < 5; CREATE MATERIALIZED VIEW "Shelf".kept AS SELECT 1 AS one; ANALYZE "Shelf"."Books";`,
			`[{id bigint  true} {Title varchar as on the cover, "quoted" ☃ true} {price decimal(8,2)  false} {tags ` +
				`varchar  false} {added timestamp with time zone  false} {order json  false}]`,
			"[{id -1} {Title 4} {price -1} {tags 0} {added 0} {order 0}]"},
		"mariadb": {mariadb, "DROP DATABASE IF EXISTS Shelf; CREATE DATABASE Shelf; USE Shelf; CREATE TABLE Books(id " +
			"bigint unsigned PRIMARY KEY, Title varchar(80) NOT NULL COMMENT 'as on the cover, \"quoted\" ☃', price " +
			"decimal(8,2), added timestamp NULL, `order` text, KEY(Title, price)) CHARACTER SET utf8mb4;" +
			"INSERT INTO Books SELECT seq, CONCAT('book ', seq % 4), seq, NULL, NULL FROM seq_1_to_100; CREATE VIEW " +
			"cheap AS SELECT id FROM Books WHERE price < 5; CREATE VIEW kept AS SELECT 1 AS one; ANALYZE TABLE Books;",
			`[{id decimal(20,0)  true} {Title varchar as on the cover, "quoted" ☃ true} {price decimal(8,2)  false} ` +
				`{added timestamp(0) with time zone  false} {order varchar  false}]`,
			"[{id 100} {Title "},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.server(t)
			s.run(t, c.setup)
			z, ctx := open(t), t.Context()
			conn, err := z.Connections.Create(ctx, project, api.ConnectionRequest{Name: "one connection", Type: s.kind,
				Credential: s.credential})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, n := range []string{"first", "second"} {
				cat, err := z.Catalogs.Create(ctx, project, api.CatalogRequest{Name: n, ConnectionID: conn.ID})
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, cat.ID)
			}
			for _, id := range ids {
				schemas, err := z.Catalogs.Schemas(ctx, project, id)
				if err != nil || !slices.ContainsFunc(schemas,
					func(s api.Schema) bool { return s.SchemaName == "Shelf" }) {
					t.Errorf("schemas %v, %v", schemas, err)
				}
				tables, err := z.Catalogs.Tables(ctx, project, id, "Shelf")
				var names []string
				for _, x := range tables {
					names = append(names, x.TableName)
					if x.IsCacheable || x.IsCached || len(x.SupportedCacheTypes) > 0 || x.CatalogID != id {
						t.Errorf("a table of a database is %+v", x)
					}
				}
				if err != nil || fmt.Sprint(names) != "[Books cheap kept]" {
					t.Errorf("tables %v, %v", names, err)
				}
				cols, err := z.Catalogs.Columns(ctx, project, id, "Shelf", "Books")
				var got []struct {
					Name, Type, Desc string
					NotNull          bool
				}
				for _, x := range cols {
					desc := ""
					if x.Desc != nil {
						desc = *x.Desc
					}
					got = append(got, struct {
						Name, Type, Desc string
						NotNull          bool
					}{x.Name, x.DataType, desc, x.IsNotNull})
				}
				if err != nil || fmt.Sprint(got) != c.want {
					t.Errorf("columns %v, %v\n want %s", got, err, c.want)
				}
				stats, err := z.Catalogs.Statistics(ctx, project, id, "Shelf", "Books")
				if err != nil || !strings.HasPrefix(fmt.Sprint(stats.ColumnStatistics), c.statistics) {
					t.Errorf("statistics %v, %v\n want %s", stats.ColumnStatistics, err, c.statistics)
				}
			}
			if got := z.query(t,
				`SELECT count(*) FROM first.shelf.books a JOIN second."Shelf"."Books" b ON a.id = b.id`, api.Compact); *got.rows[0][0] != "100" {
				t.Errorf("joined: %s", *got.rows[0][0])
			}
			if err := z.Catalogs.Delete(ctx, project, ids[0]); err != nil {
				t.Fatal(err)
			}
			if _, err := z.document(ctx, "SELECT count(*) FROM first.shelf.books", api.Compact); err == nil {
				t.Error("a deleted catalog is read")
			}
			if got := z.query(t, `SELECT count(*) FROM second.shelf.cheap`, api.Compact); *got.rows[0][0] != "4" {
				t.Errorf("the other catalog: %s", *got.rows[0][0])
			}
		})
	}
}
