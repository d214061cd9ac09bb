package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// TestSchemasAlike: both databases have the same tables, columns and indexes.
func TestSchemasAlike(t *testing.T) {
	ctx := t.Context()
	file := opened(t)(Open(t.TempDir(), nil))
	p := Postgres{Address: testdb.Postgres(t).String(), Shared: true}
	server := opened(t)(OpenPostgres(ctx, p, t.TempDir(), nil))
	list := func(s *Store, query string) []string {
		t.Helper()
		all := got[[]string](t)(queryAll(ctx, s.db, one[string], query))
		for i, l := range all {
			all[i] = strings.Join(strings.Fields(l), " ")
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	want := list(file, `SELECT m.name || '.' || c.name || ' ' ||
		CASE WHEN c.name IN ('is_default', 'scheduled', 'allowed', 'cancel', 'again', 'insert_only', 'cache_anything')
		THEN 'boolean' ELSE lower(c.type) END ||
		CASE WHEN c."notnull" OR c.pk > 0 THEN ' not null' ELSE '' END
		FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
		UNION ALL SELECT m.name || ' index ' || i."unique" || i.partial || ' ' ||
		(SELECT group_concat(coalesce(c.name, '*'), ',')
		FROM (SELECT * FROM pragma_index_xinfo(i.name) WHERE "key" ORDER BY seqno) c)
		FROM sqlite_schema m, pragma_index_list(m.name) i WHERE m.type = 'table'
		UNION ALL SELECT name || ' trigger' FROM sqlite_schema WHERE type = 'trigger'`)
	have := list(server, `SELECT table_name || '.' || column_name || ' ' || CASE data_type WHEN 'bigint' THEN 'integer'
		WHEN 'bytea' THEN 'blob' ELSE data_type END || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END ||
		CASE WHEN data_type = 'text' AND collation_name IS DISTINCT FROM 'C' THEN ' not by bytes' ELSE '' END
		FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name NOT IN ('dig_schema', 'runners', 'locks')
		UNION ALL SELECT c.relname || ' index ' || i.indisunique::int || (i.indpred IS NOT NULL)::int || ' ' ||
		(SELECT string_agg(coalesce(a.attname, '*'), ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY k(att, n)
		LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.att)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = to_regnamespace(current_schema())
		AND c.relname NOT IN ('dig_schema', 'runners', 'locks')
		AND (c.relname, i.indisprimary) <> ('cache_logs', true)
		UNION ALL SELECT tgname || ' trigger' FROM pg_trigger WHERE NOT tgisinternal`)
	for _, l := range have {
		if !slices.Contains(want, l) {
			t.Errorf("only in PostgreSQL: %s", l)
		}
	}
	for _, l := range want {
		if !slices.Contains(have, l) {
			t.Errorf("only in SQLite: %s", l)
		}
	}
	if len(want) < 200 {
		t.Errorf("%d columns and indexes", len(want))
	}
}

// TestClaim: a database has one gateway, or several that share it.
func TestClaim(t *testing.T) {
	t.Parallel() // it waits
	ctx := context.Background()
	alone := Postgres{Address: testdb.Postgres(t).String()}
	shared := alone
	shared.Shared = true
	a, b := t.TempDir(), t.TempDir()
	first := got[*Store](t)(OpenPostgres(ctx, alone, a, nil))
	for _, p := range []Postgres{alone, shared} {
		_, err := OpenPostgres(ctx, p, a, nil)
		if !errors.Is(err, ErrClaimed) || !strings.Contains(err.Error(), "dig@127") {
			t.Errorf("beside one that is alone, shared %v: %v", p.Shared, err)
		}
	}
	lose := func(s *Store) { // as a server that was started again
		t.Helper()
		_, err := s.db.DB.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() " +
			"AND datname = current_database()")
		must(t, err)
	}
	lose(first)
	held := false
	for range 100 { // it takes its claim again
		time.Sleep(50 * time.Millisecond)
		if held = count(t, first, "pg_locks WHERE locktype = 'advisory' AND granted") > 0; held {
			break
		}
	}
	if err := first.Present(); err != nil || !held {
		t.Errorf("after the server was started again: held %v, %v", held, err)
	}
	if _, err := OpenPostgres(ctx, alone, b, nil); !errors.Is(err, ErrClaimed) {
		t.Errorf("after the server was started again: %v", err)
	}
	must(t, first.Close())
	// Another one has it when the server is there again: the first one must end.
	first = opened(t)(OpenPostgres(ctx, alone, a, nil))
	lose(first)
	for {
		conn, err := first.held.take(ctx, 0)
		if err == nil {
			defer conn.Close(ctx)
			break
		}
		if !errors.Is(err, ErrClaimed) {
			t.Fatal(err)
		}
		lose(first)
	}
	for range 100 {
		if time.Sleep(50 * time.Millisecond); first.Present() != nil {
			break
		}
	}
	if err := first.Present(); !errors.Is(err, ErrClaimed) {
		t.Errorf("after another one has taken it: %v", err)
	}
}

// TestPlaceOfRows: a store belongs to one data directory, and that to the store.
func TestPlaceOfRows(t *testing.T) {
	ctx := context.Background()
	p := Postgres{Address: testdb.Postgres(t).String()}
	dir := t.TempDir()
	open := func(p Postgres, dir string) error {
		s, err := OpenPostgres(ctx, p, dir, nil)
		if err == nil {
			err = errors.Join(s.Present(), s.Close())
		}
		return err
	}
	must(t, open(p, dir))
	must(t, open(p, dir))
	raw := string(got[[]byte](t)(os.ReadFile(filepath.Join(dir, PlaceName))))
	u := got[*url.URL](t)(url.Parse(p.Address))
	if password, _ := u.User.Password(); strings.Contains(raw, password) {
		t.Errorf("the file has the password: %s", raw)
	}
	for name, try := range map[string]func() (*Store, error){
		"Open":     func() (*Store, error) { return Open(dir, nil) },
		"OpenCopy": func() (*Store, error) { return OpenCopy(dir, nil) },
	} {
		if _, err := try(); !errors.As(err, new(*zone.Elsewhere)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	own := t.TempDir()
	must(t, got[*Store](t)(Open(own, nil)).Close())
	rows := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(rows, "projects", "x"), 0o700))
	must(t, os.WriteFile(filepath.Join(rows, "projects", "x", "data.duckdb"), []byte("x"), 0o600))
	empty := Postgres{Address: testdb.Postgres(t).String()}
	for _, c := range []struct {
		p    Postgres
		dir  string
		want string
	}{
		{p, t.TempDir(), "but in another one"}, {p, own, "has a state of its own"},
		{empty, rows, "it is empty, but there is"},
	} {
		before := slices.Sorted(maps.Keys(filesOf(t, c.dir)))
		if err := open(c.p, c.dir); !errors.Is(err, ErrPlace) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
		if after := slices.Sorted(maps.Keys(filesOf(t, c.dir))); !slices.Equal(before, after) {
			t.Errorf("%s: files %v, then %v", c.want, before, after)
		}
	}
	must(t, open(empty, t.TempDir()))
}

func filesOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, f := range got[[]os.DirEntry](t)(os.ReadDir(dir)) {
		out[f.Name()] = true
	}
	return out
}

// TestPostgresFails: what goes wrong is told apart, and no error has the password.
func TestPostgresFails(t *testing.T) {
	ctx := context.Background()
	u := testdb.Postgres(t)
	password, _ := u.User.Password()
	with := func(change func(*url.URL)) Postgres { v := *u; change(&v); return Postgres{Address: v.String()} }
	for name, c := range map[string]struct {
		p    Postgres
		want error
	}{
		"no address":  {Postgres{Address: "host=db password=" + password}, ErrAddress},
		"no port":     {Postgres{Address: strings.Replace(u.String(), u.Host, u.Hostname()+":none", 1)}, ErrAddress},
		"no server":   {with(func(v *url.URL) { v.Host = "127.0.0.1:1" }), ErrAway},
		"no database": {with(func(v *url.URL) { v.Path = "/none" }), nil},
		"no password": {with(func(v *url.URL) { v.User = url.UserPassword("dig", "wrong") }), nil},
		"no schema":   {with(func(v *url.URL) { v.RawQuery += "&search_path=none" }), nil},
	} {
		s, err := OpenPostgres(ctx, c.p, t.TempDir(), nil)
		if err == nil {
			must(t, s.Close())
		}
		if err == nil || c.want != nil && !errors.Is(err, c.want) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", name, err)
		}
		t.Log(name, err)
	}
	s := opened(t)(OpenPostgres(ctx, Postgres{Address: u.String()}, t.TempDir(), nil))
	if _, err := s.CreateWorkspace(ctx, DefaultOrganization, "a\x00b", nil, true); !errors.Is(err, ErrText) {
		t.Errorf("a text with U+0000: %v", err)
	}
	// The connection is lost at the end of the transaction, which PostgreSQL does not make.
	_, err := s.db.DB.Exec(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON query_folders DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION cut()`)
	must(t, err)
	_, err = s.CreateFolder(ctx, DefaultProject, nil, []string{"x"})
	if !errors.Is(err, ErrAway) || errors.Is(err, ErrUnknown) || count(t, s, "query_folders") > 0 {
		t.Errorf("a transaction that is ended at its end: %v", err)
	}
	_, err = s.db.DB.Exec("DROP TRIGGER cut ON query_folders; UPDATE dig_schema SET version = 1000")
	must(t, err)
	if _, err := s.CreateFolder(ctx, DefaultProject, nil, []string{"x"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	must(t, s.held.close())
	if _, err := OpenPostgres(ctx, Postgres{Address: u.String()}, s.dir, nil); err == nil ||
		!strings.Contains(err.Error(), "written by a newer version of dig (schema 1000") {
		t.Errorf("a newer store: %v", err)
	}
}

// TestLeases: the clock of the database decides, and once.
func TestLeases(t *testing.T) {
	ctx := t.Context()
	p := Postgres{Address: testdb.Postgres(t).String(), Shared: true}
	a := opened(t)(OpenPostgres(ctx, p, t.TempDir(), func() time.Time { return time.Unix(0, 0) })) // its clock is wrong
	b := opened(t)(OpenPostgres(ctx, p, t.TempDir(), nil))
	first, second := got[int64](t)(a.NewLease(ctx)), got[int64](t)(b.NewLease(ctx))
	lasts := func(what string, number int64, want bool) {
		t.Helper()
		for _, s := range []*Store{a, b} {
			equal(t, what, got[bool](t)(s.Leased(ctx, number)), want)
		}
	}
	lasts("the first", first, true)
	lasts("the second", second, true)
	if second <= first {
		t.Errorf("%d after %d", second, first)
	}
	over := func() {
		t.Helper()
		_, err := a.db.ExecContext(ctx, "UPDATE runners SET until = clock_timestamp() - interval '1 second' "+
			"WHERE number = ?", first)
		must(t, err)
	}
	over()
	must(t, a.RenewLease(ctx, first)) // nobody has asked meanwhile
	lasts("renewed", first, true)
	over()
	lasts("over", first, false)
	if err := a.RenewLease(ctx, first); !errors.Is(err, ErrNotFound) {
		t.Errorf("renewed after it was found over: %v", err)
	}
	must(t, b.EndLease(ctx, second))
	lasts("ended", second, false)
	if third := got[int64](t)(a.NewLease(ctx)); third <= second {
		t.Errorf("%d after %d", third, second)
	}
	locks(t, a, b)
	if a.ids.shard == b.ids.shard {
		t.Error("two processes make the same identifiers")
	}
	// A gateway that is alone takes over at once.
	p = Postgres{Address: testdb.Postgres(t).String()}
	dir := t.TempDir()
	s := got[*Store](t)(OpenPostgres(ctx, p, dir, nil))
	number := got[int64](t)(s.NewLease(ctx))
	must(t, s.Close())
	s = opened(t)(OpenPostgres(ctx, p, dir, nil))
	equal(t, "the lease of the one before", got[bool](t)(s.Leased(ctx, number)), false)
}

// locks: one lease has a lock, and loses it with its end. A process that was killed has no session either, and its
// lease ends sooner.
func locks(t *testing.T, a, b *Store) {
	ctx := t.Context()
	first, second := got[int64](t)(a.NewLease(ctx)), got[int64](t)(b.NewLease(ctx))
	take := func(s *Store, number, want int64) {
		t.Helper()
		equal(t, "the holder", got[int64](t)(s.TakeLock(ctx, "x", number, false)), want)
	}
	take(a, first, first)
	take(b, second, first)
	must(t, a.NoteStatement(ctx, "x", first, "s1"))
	if err := b.NoteStatement(ctx, "x", second, "s2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a statement of one that does not have the lock: %v", err)
	}
	must(t, b.Unlock(ctx, "x", second))
	take(b, second, first)
	for _, c := range []struct {
		what, ago string
		pid       uint32
		server    string // since the start of the server
		lasts     bool
	}{{"renewed late, with a session", "10 seconds", a.held.session(), "0 seconds", true},
		{"renewed in time, without a session", "1 second", 0, "0 seconds", true},
		{"the server was started since", "10 seconds", 0, "-1 hour", true},
		{"killed", "10 seconds", 0, "0 seconds", false}} {
		must(t, exec(ctx, a.db, "UPDATE runners SET until = clock_timestamp() + interval '20 seconds' - CAST(? AS "+
			"interval), pid = ?, server = pg_postmaster_start_time() + CAST(? AS interval) WHERE number = ?", c.ago,
			c.pid, c.server, first))
		equal(t, c.what, got[bool](t)(b.Leased(ctx, first)), c.lasts)
	}
	if err := a.NoteStatement(ctx, "x", first, "s3"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a statement of a lease that is over: %v", err)
	}
	take(b, second, first) // whoever takes over ends what is left before
	equal(t, "what is left", fmt.Sprint(got[[]HeldLock](t)(b.LocksOf(ctx, first))), "[{x s1}]")
	must(t, b.Unlock(ctx, "x", first))
	take(b, second, second)
	if _, err := a.TakeLock(ctx, "y", first, false); !errors.Is(err, ErrNotFound) {
		t.Errorf("a lock for a lease that is over: %v", err)
	}
	must(t, b.EndLease(ctx, second))
}
