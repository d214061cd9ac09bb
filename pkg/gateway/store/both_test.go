package store

import (
	"context"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
)

// onBoth runs a test on SQLite and on PostgreSQL; open opens the same state each time.
func onBoth(t *testing.T, test func(t *testing.T, open func() *Store)) {
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		test(t, func() *Store { return opened(t)(Open(dir, nil)) })
	})
	// What runs once on SQLite may run again and again on PostgreSQL: here each table refuses every second end of a
	// transaction that has changed it, as a server does for the sake of another transaction.
	t.Run("postgres", func(t *testing.T) {
		p, dir := Postgres{Address: testdb.Postgres(t).String(), Shared: true}, t.TempDir()
		s := opened(t)(OpenPostgres(context.Background(), p, dir, nil))
		must(t, func() error { _, err := s.db.DB.Exec(refusals); return err }())
		test(t, func() *Store { return opened(t)(OpenPostgres(context.Background(), p, dir, nil)) })
		var n int
		must(t, s.db.DB.QueryRow("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ends").Scan(&n))
		t.Log(n, "ends of transactions")
	})
}

const refusals = `CREATE SEQUENCE ends;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('dig.seen', true) IS DISTINCT FROM txid_current()::text THEN
    PERFORM set_config('dig.seen', txid_current()::text, true);
    IF nextval('ends') % 2 = 1 THEN RAISE 'refused' USING ERRCODE = 'serialization_failure'; END IF;
  END IF;
  RETURN NULL;
END $$;
DO $$ DECLARE t text; BEGIN
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE OR DELETE ON %I
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()', t);
  END LOOP;
END $$`

func opened(t *testing.T) func(*Store, error) *Store {
	return func(s *Store, err error) *Store {
		t.Helper()
		must(t, err)
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func got[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}
