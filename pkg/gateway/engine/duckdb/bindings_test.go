//go:build cgo

package duckdb

import (
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

func TestSumsAreBigintInTrino(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	got, err := reply(t, p, api.Compact, sql.Query{SQL: `SELECT sum(a) AS s FROM (VALUES (1), (2)) t(a)`})
	if want := `{"columns":[{"catalogName":"","schemaName":"","tableName":"","columnName":"s","dataType":"bigint"}],` +
		`"data":[["3"]]}`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	_, err = rows(t, p, sql.Query{SQL: `SELECT sum(a) AS s FROM (VALUES (9223372036854775807), (1)) t(a)`})
	if kindOf(err) != engine.KindValue {
		t.Errorf("overflow: %v", err)
	}
}

func TestBindings(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	mustExec(t, p, `CREATE TABLE "~data"."table"."x" AS SELECT * FROM (VALUES
		(1::BIGINT, 1.50::DECIMAL(10,2), 'a', DATE '2020-01-02', TIMESTAMP '2020-01-02 03:04:05', true, 'aa6d2a68-9f5c-4bd5-8ff2-0f1a3a1d2a10'::UUID, 0.5::DOUBLE),
		(2, 1.49, '007', DATE '2021-01-02', TIMESTAMP '2021-01-02 03:04:05', false, NULL, 2.5)) v(n, price, s, d, ts, b, u, f)`)
	for _, c := range []struct {
		where string
		binds []string
		want  string // "binding" for KindBinding
	}{
		{`n = ?`, []string{"1"}, "1"},
		{`n = ?`, []string{" 1 "}, "1"},
		{`n = ?`, []string{"1.5"}, ""}, // not rounded to 2
		{`n > ?`, []string{"1.5"}, "2"},
		{`n < ?`, []string{"99999999999999999999"}, "1\n2"},
		{`n = ?`, []string{"one"}, "binding"},
		{`n = ?`, []string{""}, "binding"},
		{`n = ?`, []string{"0x1"}, "binding"},
		{`price = ?`, []string{"1.499"}, ""}, // not rounded to 1.50
		{`price = ?`, []string{"1.495"}, ""},
		{`price > ?`, []string{"1.499"}, "1"},
		{`price = ?`, []string{"1.5"}, "1"},
		{`price = ?`, []string{"1.500000000"}, "1"},
		{`price = ?`, []string{"01.50"}, "1"},
		{`price < ?`, []string{"-0.001"}, ""},
		{`price > ?`, []string{"-1"}, "1\n2"},
		{`price < ?`, []string{"12345678901234567890.123"}, "1\n2"},
		{`price = ?`, []string{"1.5x"}, "binding"},
		{`price = ?`, []string{"123456789012345678901234567890.1234567890"}, "binding"},
		{`price * ? = 3`, []string{"2"}, "1"},
		{`s = ?`, []string{"007"}, "2"},
		{`s = ?`, []string{"7"}, ""},
		{`s = ?`, []string{"a' OR '1'='1"}, ""},
		{`s LIKE ?`, []string{"%7"}, "2"},
		{`d = ?`, []string{"2020-01-02"}, "1"},
		{`d = ?`, []string{"2020-01-02 10:00:00"}, "binding"}, // not cut to the day
		{`d = ?`, []string{"2020-13-02"}, "binding"},
		{`ts > ?`, []string{"2020-06-01"}, "2"},
		{`ts = ?`, []string{"2020-01-02 03:04:05.000"}, "1"},
		{`ts = ?`, []string{"2020-01-02 03:04:05.0000001"}, "binding"},
		{`b = ?`, []string{"TRUE"}, "1"},
		{`b = ?`, []string{"yes"}, "binding"},
		{`u = ?`, []string{"AA6D2A68-9F5C-4BD5-8FF2-0F1A3A1D2A10"}, "1"},
		{`u = ?`, []string{"AA6D"}, "binding"},
		{`f = ?`, []string{"5e-1"}, "1"},
		{`f < ?`, []string{"1"}, "1"},
		{`n = ? AND s = ?`, []string{"2", "007"}, "2"},
		{`n IN (?, ?)`, []string{"2", "3"}, "2"},
		{`n = ? AND s = ?`, []string{"007", "2"}, ""},
		{`n = ?`, nil, "binding"},
		{`n = ?`, []string{"1", "2"}, "binding"},
		{`n = 1`, []string{"1"}, "binding"},
	} {
		got, err := rows(t, p, sql.Query{SQL: `SELECT n FROM x WHERE ` + c.where + ` ORDER BY n`, Bindings: c.binds})
		if c.want == "binding" {
			if kindOf(err) != engine.KindBinding {
				t.Errorf("%s %q: got %q, %v, want a binding error", c.where, c.binds, got, err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s %q: got %q, %v, want %q", c.where, c.binds, got, err, c.want)
		}
	}
	if got, err := rows(t, p, sql.Query{SQL: `SELECT ?, n FROM x LIMIT ?`, Bindings: []string{"7", "1"}}); err != nil ||
		got != "7|1" {
		t.Errorf("got %q, %v", got, err)
	}
}
