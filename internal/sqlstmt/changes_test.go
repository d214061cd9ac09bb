package sqlstmt

import "testing"

// TestChanges: only what is known to read passes.
func TestChanges(t *testing.T) {
	for _, sql := range []string{
		"SELECT 1", " -- one\nSELECT 1 ; ", "(SELECT 1)", "VALUES 1", "TABLE peaka.\"table\".t",
		"WITH t AS (SELECT 1) SELECT * FROM t",
		"SHOW TABLES", "SHOW CREATE TABLE a.b.c", "DESCRIBE a.b.c", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1",
		"EXPLAIN DELETE FROM a.b.c",
		"WITH FUNCTION f() RETURNS int RETURN 1 SELECT f()", "SELECT * FROM TABLE(sequence(1, 2))",
		"SELECT * FROM TABLE(system.builtin.exclude_columns(TABLE(t), DESCRIPTOR(a)))",
		"SELECT * FROM 'sales.csv'", "SELECT 'DROP TABLE t; DELETE' -- ; DROP TABLE t",
	} {
		if why := Changes(sql); why != "" {
			t.Errorf("%s: %s", sql, why)
		}
	}
	for _, sql := range []string{
		"", ";", "INSERT INTO a.b.c VALUES 1", "CREATE TABLE a.b.c AS SELECT 1", "CREATE TABLE t (a int)",
		"CREATE VIEW v AS SELECT 1", "DROP TABLE a.b.c", "DELETE FROM a.b.c",
		"UPDATE a.b.c SET x = 1", "MERGE INTO a.b.c USING d.e.f ON true WHEN MATCHED THEN DELETE",
		"TRUNCATE TABLE a.b.c", "CALL x.y.z()", "SET SESSION x = 1",
		"PREPARE p FROM DELETE FROM a.b.c", "EXECUTE p", "EXECUTE IMMEDIATE 'DROP TABLE t'", "GRANT SELECT ON t TO u",
		"COMMIT", "USE a.b", "ANALYZE a.b.c", "COMMENT ON TABLE t IS 'x'",
		"ALTER TABLE t RENAME TO u", "REFRESH MATERIALIZED VIEW v",
		"EXPLAIN ANALYZE DELETE FROM a.b.c", "EXPLAIN ANALYZE VERBOSE INSERT INTO a.b.c VALUES 1",
		"EXPLAIN EXPLAIN ANALYZE DELETE FROM a.b.c", "EXPLAIN ANALYZE EXPLAIN ANALYZE DELETE FROM t",
		"SELECT 1; DROP TABLE t", "SELECT * FROM TABLE(shop.system.query(query => 'DELETE FROM t RETURNING *'))",
		"COPY t TO 'f'", "PIVOT t ON a", "SELECT 'open", "FROM t SELECT 1",
		"EXPLAIN ANALYZE SELECT 1 FROM TABLE(shop.system.execute('DELETE FROM t'))", "SELECT * FROM TABLE(f(1))",
		"SELECT (SELECT max(a) FROM TABLE(shop.system.query('x')) t (a))", "SELECT * FROM (DELETE FROM t)",
	} {
		if Changes(sql) == "" {
			t.Errorf("passes: %s", sql)
		}
	}
}
