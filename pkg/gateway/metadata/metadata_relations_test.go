package metadata_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestForeignKeys: keys of a source's tables are told after a refresh, and a relation that a user has changed stays so.
func TestForeignKeys(t *testing.T) {
	ddl := "CREATE TABLE cached.customers(id integer PRIMARY KEY, code varchar(10) UNIQUE, name varchar(10));" +
		"CREATE TABLE cached.orders(id integer PRIMARY KEY, customer integer, code varchar(10), FOREIGN KEY " +
		"(customer) REFERENCES cached.customers(id), FOREIGN KEY (code) REFERENCES cached.customers(code));" +
		"CREATE TABLE cached.notes(customer integer PRIMARY KEY, FOREIGN KEY (customer) REFERENCES " +
		"cached.customers(id));" +
		"CREATE TABLE cached.pairs(a integer, b integer, PRIMARY KEY (a, b));" +
		"CREATE TABLE cached.halves(n integer PRIMARY KEY, a integer, b integer UNIQUE, FOREIGN KEY (a, b) " +
		"REFERENCES cached.pairs(a, b))"
	for name, source := range map[string]func(*testing.T, ...string) gatewaytest.Origin{
		"postgres": gatewaytest.Postgres, "mariadb": gatewaytest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			o := source(t, strings.Split(ddl, ";")...)
			g := gatewaytest.Open(t)
			cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
			if err != nil {
				t.Fatal(err)
			}
			cat := gatewaytest.Connect(t, cl, o, nil)
			ctx := context.Background()
			refresh := func() {
				t.Helper()
				if _, err := cl.Metadata.Refresh(ctx, gatewaytest.Local,
					api.MetadataRefreshRequest{CatalogID: cat.ID}); err != nil {
					t.Fatal(err)
				}
				for range 600 {
					s, err := cl.Metadata.RefreshStatus(ctx, gatewaytest.Local, cat.ID)
					if err != nil {
						t.Fatal(err)
					}
					if s.Status == metadata.RefreshDone {
						return
					}
					if s.Status == "failed" {
						t.Fatal(*s.Error)
					}
					time.Sleep(50 * time.Millisecond)
				}
				t.Fatal("the refresh does not end")
			}
			told := func() (relations, keys []string, all []api.Relation) {
				t.Helper()
				m, err := cl.Metadata.Project(ctx, gatewaytest.Local, cat.ID, "cached")
				if err != nil {
					t.Fatal(err)
				}
				for _, entry := range m.Metadata {
					tb := entry.Metadata
					for _, r := range tb.Relations {
						relations = append(relations, fmt.Sprintf("%s.%s %s %s.%s", r.SourceTableName,
							r.SourceColumnName, r.Type, r.TargetTableName, r.TargetColumnName))
						all = append(all, r)
					}
					for _, c := range tb.Columns {
						if c.IsPrimary || c.IsUnique {
							keys = append(keys, fmt.Sprintf("%s.%s %v %v", tb.TableName, c.ColumnName,
								c.IsPrimary, c.IsUnique))
						}
					}
				}
				slices.Sort(relations)
				slices.Sort(keys)
				return relations, keys, all
			}
			refresh()
			relations, keys, all := told()
			want := []string{"halves.a MANY_TO_ONE pairs.a", "halves.b MANY_TO_ONE pairs.b",
				"notes.customer ONE_TO_ONE customers.id", "orders.code MANY_TO_ONE customers.code",
				"orders.customer MANY_TO_ONE customers.id"}
			if !slices.Equal(relations, want) {
				t.Errorf("relations %q, want %q", relations, want)
			}
			wantKeys := []string{"customers.code false true", "customers.id true true", "halves.b false true",
				"halves.n true true", "items.id true true", "notes.customer true true",
				"orders.id true true", "pairs.a true false", "pairs.b true false"}
			if !slices.Equal(keys, wantKeys) {
				t.Errorf("keys %q, want %q", keys, wantKeys)
			}
			for _, r := range all {
				if r.SourceTableName == "notes" {
					if _, err := g.Store.UpdateRelation(ctx, gatewaytest.Local, store.TableKey{Catalog: cat.ID,
						Schema: r.SourceSchemaName, Table: r.SourceTableName}, r.ID, "ONE_TO_MANY"); err != nil {
						t.Fatal(err)
					}
				}
			}
			refresh()
			again, _, _ := told()
			want[2] = "notes.customer ONE_TO_MANY customers.id"
			if !slices.Equal(again, want) {
				t.Errorf("after another refresh %q, want %q", again, want)
			}
		})
	}
}

// TestSampleOfStuckView: a view that yields nothing fails the refresh by name and does not keep the other tables from
// being read.
func TestSampleOfStuckView(t *testing.T) {
	for name, source := range map[string]func(*testing.T, ...string) gatewaytest.Origin{
		"postgres": gatewaytest.Postgres, "mariadb": gatewaytest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			sleep := "CAST(pg_sleep(3600) AS text)"
			if name == "mariadb" {
				sleep = "sleep(3600)"
			}
			o := source(t, "CREATE VIEW cached.early AS SELECT 1 AS id, "+sleep+" AS z")
			o.Put(gatewaytest.Entry{ID: 1, Name: "found", At: ""})
			g := gatewaytest.Open(t)
			g.Metadata.Sampling = time.Second
			cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
			if err != nil {
				t.Fatal(err)
			}
			cat := gatewaytest.Connect(t, cl, o, nil)
			if _, err := cl.Metadata.Refresh(t.Context(), gatewaytest.Local,
				api.MetadataRefreshRequest{CatalogID: cat.ID}); err != nil {
				t.Fatal(err)
			}
			g.Jobs.Running.Wait()
			s, err := cl.Metadata.RefreshStatus(t.Context(), gatewaytest.Local, cat.ID)
			if err != nil || s.Status != "failed" || !strings.Contains(*s.Error,
				"table cached.early: its sample values were not read within 1s") {
				t.Errorf("%+v, %v", s, err)
			}
			m, err := cl.Metadata.Project(t.Context(), gatewaytest.Local, cat.ID, "cached")
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := json.Marshal(m); err != nil || !bytes.Contains(raw, []byte("found")) {
				t.Errorf("the other table has no samples: %s, %v", raw, err)
			}
		})
	}
}
