package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// slowServer has in schema slow: rows, a view that returns a few thousand rows at once and the rest slowly; and stuck,
// which returns nothing for an hour. sessions counts the open sessions of the gateway.
type slowServer struct {
	server
	setup, sessions string
	victim, kill    string // finds the session that reads rows, and ends it
	killed          string // the error then
}

func slowServers() map[string]func(t *testing.T) slowServer {
	return map[string]func(t *testing.T) slowServer{
		"postgres": func(t *testing.T) slowServer {
			return slowServer{server: postgres(t),
				setup: `DROP SCHEMA IF EXISTS slow CASCADE; CREATE SCHEMA slow; CREATE VIEW slow.rows AS SELECT g AS id, CASE WHEN g > 20000 THEN pg_sleep(0.005)::text END AS z, repeat('x', 200) AS pad FROM generate_series(1, 1000000) g;
CREATE VIEW slow.stuck AS SELECT 1 AS id, pg_sleep(3600)::text AS z;`,
				sessions: `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dig' AND datname = ` +
					`current_database();`,
				victim: `SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'dig' AND datname = ` +
					`current_database() AND query LIKE '%FROM "slow"."rows"%';`,
				kill: "SELECT pg_terminate_backend(%s);", killed: "terminating connection"}
		},
		"mariadb": func(t *testing.T) slowServer {
			return slowServer{server: mariadb(t),
				setup: `DROP DATABASE IF EXISTS slow; CREATE DATABASE slow; USE slow; CREATE VIEW slow.rows AS SELECT seq AS id, IF(seq > 20000, sleep(0.005), NULL) AS z, repeat('x', 200) AS pad FROM seq_1_to_1000000;
CREATE VIEW slow.stuck AS SELECT 1 AS id, sleep(3600) AS z;`,
				sessions: `SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%slow%' AND id <> ` +
					`connection_id();`,
				victim: "SELECT max(id) FROM information_schema.processlist WHERE info LIKE '%FROM `slow`.`rows`%' " +
					"AND id <> connection_id();",
				kill: "KILL %s;", killed: "invalid connection"}
		},
	}
}

// none waits until the server has no session of the gateway left: one that is kept for reuse ends after ten seconds.
func (s slowServer) none(t *testing.T) {
	t.Helper()
	n := ""
	for range 200 {
		if n = s.run(t, s.sessions); n == "0" {
			return
		}
		time.Sleep(150 * time.Millisecond)
	}
	t.Errorf("%s sessions are left at the server", n)
}

func (s slowServer) running(t *testing.T) {
	t.Helper()
	for range 200 {
		if s.run(t, s.sessions) != "0" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the statement does not reach the server")
}

func TestGivenUpStatementsEndAtTheServer(t *testing.T) {
	for name, start := range slowServers() {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.run(t, s.setup)
			z := open(t, s.server)
			t.Run("the reader leaves", func(t *testing.T) {
				r, err := z.Queries.Execute(t.Context(), project, api.ExecuteByStatement{Statement: "SELECT * FROM " +
					s.catalog + ".slow.rows"}, api.ExecuteOptions{Format: api.Compact})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(r.Body, make([]byte, 100_000)); err != nil {
					t.Fatal(err)
				}
				s.running(t)
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				s.none(t)
			})
			t.Run("cancelled before the first row", func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					_, err := z.document(ctx, "SELECT * FROM "+s.catalog+".slow.stuck", api.Compact)
					ended <- err
				}()
				s.running(t)
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				s.none(t)
			})
			for table, begun := range map[string]bool{"stuck": false, "rows": true} {
				t.Run("time limit on "+table, func(t *testing.T) {
					limit := int64(1)
					r, err := z.Queries.Execute(t.Context(), project,
						api.ExecuteByStatement{Statement: "SELECT * FROM " + s.catalog + ".slow." + table,
							Timeout: &limit}, api.ExecuteOptions{Format: api.Compact})
					if begun && err == nil {
						_, err = io.ReadAll(r.Body)
						r.Close()
					}
					if err == nil || !strings.Contains(err.Error(), "maximum run time limit of 1.00s") {
						t.Errorf("%v", err)
					}
					s.none(t)
				})
			}
		})
	}
}

// A source that fails in the middle fails the statement with its name, and the part of the document that was written
// before is incomplete.
func TestSourceFailsMidWay(t *testing.T) {
	for name, start := range slowServers() {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.run(t, s.setup)
			z := open(t, s.server)
			for _, f := range formats {
				r, err := z.Queries.Execute(t.Context(), project, api.ExecuteByStatement{Statement: "SELECT * FROM " +
					s.catalog + ".slow.rows"}, api.ExecuteOptions{Format: f})
				if err != nil {
					t.Fatal(err)
				}
				rows := r.Rows()
				n := 0
				for rows.Next() {
					if n++; n == 2000 {
						s.run(t, fmt.Sprintf(s.kill, s.run(t, s.victim)))
					}
				}
				err = rows.Err()
				if err == nil || !errors.Is(err, api.ErrTruncated) || !strings.Contains(err.Error(), "connection "+
					s.catalog+" ("+s.kind+")") || !strings.Contains(err.Error(), s.killed) {
					t.Errorf("%s: after %d rows: %v", f, n, err)
				}
				rows.Close()
				s.none(t)
			}
		})
	}
}
