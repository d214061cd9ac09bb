//go:build cgo

package projects

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// TestCompactGivesWay: what nobody has asked for ends when somebody wants to use the project, what was asked for does
// not.
func TestCompactGivesWay(t *testing.T) {
	for _, yields := range []bool{true, false} {
		p := testProject(t, t.TempDir())
		mustExec(t, p)
		p.closeIdle()
		ctx, cancel := context.WithCancel(t.Context())
		p.turn <- struct{}{}
		p.mu.Lock()
		p.pack = &packing{cancel: cancel, yields: yields}
		p.mu.Unlock()
		came := make(chan struct{})
		go func() {
			one(t, p, `SELECT 1`)
			close(came)
		}()
		for there := false; !there; time.Sleep(time.Millisecond) {
			p.mu.Lock()
			there = p.next != nil
			p.mu.Unlock()
		}
		if got := ctx.Err() != nil; got != yields {
			t.Errorf("yields %v: ended %v", yields, got)
		}
		p.mu.Lock()
		p.pack = nil
		p.mu.Unlock()
		<-p.turn
		<-came
		cancel()
	}
}

// TestCompactComparesCopies spoils a copy in every way that its comparison is to see.
func TestCompactComparesCopies(t *testing.T) {
	p := testProject(t, t.TempDir())
	mustExec(t, p, `CREATE SCHEMA "~data"."empty ""one"`, `CREATE SEQUENCE "~data"."table".s START 7`,
		`CREATE TABLE "~data"."table".raw (a BIGINT PRIMARY KEY, b VARCHAR DEFAULT 'x', e VARCHAR[], f HUGEINT, g `+
			`DOUBLE)`,
		`INSERT INTO "~data"."table".raw SELECT i, 'b' || i, [i], i::HUGEINT << 80, i / 7 FROM range(5000) r(i)`,
		`CREATE INDEX ix ON "~data"."table".raw (g, b)`, `CREATE VIEW "~data"."table".v AS SELECT 1 AS x`,
		`COMMENT ON TABLE "~data"."table".raw IS 'it''s "one"'`, `COMMENT ON COLUMN "~data"."table".raw.b IS 'c'`,
		`CREATE MACRO "~data"."table".mm(a) AS a + 1`, `CREATE SCHEMA "~data".dig`, `CREATE SCHEMA "~data".cache`,
		`CREATE TABLE "~data".dig.columns (pos BIGINT, display VARCHAR NOT NULL, descr VARCHAR)`,
		`CREATE TABLE "~data".dig.counter AS SELECT 1::BIGINT AS last`,
		`CREATE TABLE "~data".cache."12345678901234567" AS SELECT 1 AS n`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := p.Bare(p.Dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c, err := in.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	exec := func(s string) {
		t.Helper()
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	exec(`ATTACH ` + sqltext.Literal(filepath.Join(p.Dir, sharing.DataFile)) + ` AS "~data" (READ_ONLY)`)
	for _, s := range []string{
		``,
		`DROP TABLE "~new"."table".raw`, `DROP SCHEMA "~new"."empty ""one"`, `CREATE SCHEMA "~new".more`,
		`DROP VIEW "~new"."table".v`, `DROP INDEX "~new"."table".ix`,
		`DROP MACRO "~new"."table".mm`, `CREATE OR REPLACE MACRO "~new"."table".mm(a) AS a + 2`,
		`SELECT nextval('"~new"."table".s')`, `CREATE TYPE "~new"."table".more AS ENUM ('a')`,
		`COMMENT ON TABLE "~new"."table".raw IS NULL`, `COMMENT ON COLUMN "~new"."table".raw.b IS 'd'`,
		`ALTER TABLE "~new".dig.columns ALTER descr SET DEFAULT 'x'`,
		`ALTER TABLE "~new".dig.columns ALTER display DROP NOT NULL`,
		`ALTER TABLE "~new".dig.columns ALTER pos TYPE INTEGER`,
		`DELETE FROM "~new"."table".raw WHERE a = 3`, `UPDATE "~new"."table".raw SET f = f + 1 WHERE a = 3`,
		`UPDATE "~new"."table".raw SET e = NULL WHERE a = 3`,
		`UPDATE "~new".dig.counter SET last = last + 1`, `DELETE FROM "~new".cache."12345678901234567"`,
	} {
		exec(`ATTACH ':memory:' AS "~new"`)
		if err := c.All(t.Context(), `COPY FROM DATABASE "~data" TO "~new"`); err != nil {
			t.Fatal(err)
		}
		if s != "" {
			exec(s)
		}
		if err := sameData(t.Context(), c, packDB); (err == nil) != (s == "") {
			t.Errorf("%s: %v", s, err)
		}
		exec(`DETACH "~new"`)
	}
}

func TestCompactWaitsForStatements(t *testing.T) {
	p := testProject(t, t.TempDir())
	waste(t, p)
	c, err := p.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err := dataSize(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Compact(t.Context()); kindOf(err) != engine.KindLocked || !strings.Contains(err.Error(),
		"nothing was done") {
		t.Fatalf("beside a statement: %v", err)
	}
	if now, err := dataSize(p.Dir); now != before || err != nil {
		t.Errorf("%d bytes became %d, %v", before, now, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Compact(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p.Opts.LockWait = 20 * time.Second
	done := make(chan error, 1)
	go func() {
		_, err := p.Compact(context.Background())
		done <- err
	}()
	for len(p.turn) == 0 { // it waits
		time.Sleep(time.Millisecond)
	}
	c.Close()
	if got := one(t, p, `SELECT count(*) FROM "~data"."table".behind`); got != "50000" { // before it or after it
		t.Errorf("got %s", got)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if now, err := dataSize(p.Dir); now >= before || err != nil {
		t.Errorf("%d bytes became %d, %v", before, now, err)
	}

	// What is not there has nothing to give back, and is not made.
	other := NewProject("prjB", filepath.Join(p.Opts.Dir, "prjB"), p.Common)
	if c, err := other.Compact(t.Context()); err != nil || c != (engine.Compaction{}) || found(other.Dir) {
		t.Errorf("of nothing: %v, %v", c, err)
	}
	if err := p.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Compact(t.Context()); !errors.Is(err, engine.ErrDropped) || found(p.Dir) {
		t.Errorf("of a dropped project: %v", err)
	}
}
