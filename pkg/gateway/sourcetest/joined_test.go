package sourcetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// Two tables whose names are the same text once their parts are joined by dots are two tables, in one statement and
// beside caches.
func TestNamesThatJoinAlike(t *testing.T) {
	for name, at := range map[string]func(*testing.T) server{
		"files": func(t *testing.T) server {
			dir := t.TempDir()
			for path, text := range map[string]string{"dot.ted/c.csv": "n\n1\n", "dot/ted.c.csv": "n\n2\n3\n"} {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return server{catalog: "far", kind: "files", credential: map[string]any{"path": dir}}
		},
		"postgres": func(t *testing.T) server {
			s := postgres(t)
			s.run(t, `DROP SCHEMA IF EXISTS "dot.ted" CASCADE; DROP SCHEMA IF EXISTS dot CASCADE; CREATE SCHEMA `+
				`"dot.ted"; CREATE SCHEMA dot; CREATE TABLE "dot.ted".c AS SELECT 1 AS n; CREATE TABLE dot."ted.c" `+
				`AS SELECT * FROM (VALUES (2), (3)) v(n);`)
			return s
		},
		"mariadb": func(t *testing.T) server {
			s := mariadb(t)
			s.run(t, "DROP DATABASE IF EXISTS `dot.ted`; DROP DATABASE IF EXISTS dot; CREATE DATABASE `dot.ted`; "+
				"CREATE DATABASE dot; CREATE TABLE `dot.ted`.c AS SELECT 1 AS n; CREATE TABLE dot.`ted.c` AS SELECT "+
				"2 AS n UNION SELECT 3;")
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := at(t)
			z := open(t, s)
			check := func() {
				t.Helper()
				for sql, want := range map[string]string{
					`SELECT n FROM %."dot.ted".c UNION ALL SELECT n FROM %.dot."ted.c" ORDER BY 1`:      "1 2 3",
					`SELECT n FROM %.dot."ted.c" UNION ALL SELECT n FROM %."dot.ted".c ORDER BY 1`:      "1 2 3",
					`SELECT (SELECT max(n) FROM %.dot."ted.c"), (SELECT max(n) FROM %."dot.ted".c)`:     "3 1",
					`SELECT x.n, y.n FROM %."dot.ted".c x JOIN %.dot."ted.c" y ON y.n > x.n ORDER BY 2`: "1 2 1 3",
					`SELECT table_schema, table_name FROM %.information_schema.columns WHERE table_schema IN ('dot', ` +
						`'dot.ted') ORDER BY 1`: "dot ted.c dot.ted c",
				} {
					var got []string
					for _, row := range z.query(t, strings.ReplaceAll(sql, "%", s.catalog), api.Compact).rows {
						for _, v := range row {
							got = append(got, *v)
						}
					}
					if g := strings.Join(got, " "); g != want {
						t.Errorf("%s: %s, want %s", sql, g, want)
					}
				}
			}
			check()
			if s.kind != "files" {
				return
			}
			cats, err := z.Catalogs.List(t.Context(), project)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cats {
				if c.Name != s.catalog {
					continue
				}
				if _, err := z.Cache.Create(t.Context(), project, api.CacheRequest{CatalogID: c.ID,
					SchemaName: "dot.ted", TableName: "c"}); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 { // before and after the cache has its rows
				check()
			}
		})
	}
}
