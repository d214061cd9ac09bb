package repl

import "testing"

func TestSecretText(t *testing.T) {
	for _, text := range []string{
		`SELECT * FROM users WHERE password = 'hunter2';`,
		`select * from t where user_password='x'`,
		`SELECT * FROM t WHERE "api_key" IN ('abc')`,
		`SELECT * FROM t WHERE token LIKE 'ab%'`,
		`SELECT * FROM t WHERE client_secret <> 'a'`,
		`CREATE USER joe PASSWORD 'hunter2'`,
		`CREATE USER joe IDENTIFIED BY hunter2`,
		`ALTER USER joe SET PASSWORD TO 'x'`,
		`dig connection create pg --credential '{"host":"h","password":"x"}'`,
		`dig login --token abc`,
		`SELECT json_parse('{"accessKey": "x"}')`,
		`SELECT f(password => 'x')`,
		`SELECT 'https://example.com', 'postgres://joe:pw@host/db'`,
		`SELECT 'AKIAIOSFODNN7EXAMPLE'`,
		`SELECT 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'`,
		`SELECT 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'`,
		`SELECT 'Authorization: Bearer abcdef1234567890'`,
		`\bind password='two words'`,
		`SELECT 'host=db user=joe password=hunter2' AS dsn`,
		`SELECT 'the api_key: abcd1234'`,
		`SELECT * FROM t WHERE (name, password) = ('a', 'hunter2')`,
		`SELECT * FROM t WHERE (name, password) IN (('a', 'hunter2'))`,
		`SELECT 1 FROM t WHERE 'hunter3B' = password;`,
		`SELECT 1 FROM t WHERE 'hunter3C' = t."api_key"`,
		`SELECT 1 FROM t WHERE token BETWEEN 'hunter3D' AND 'hunter3D'`,
		`SELECT 1 FROM t WHERE 'a' NOT BETWEEN token AND 'b'`,
		`SELECT 1 FROM t WHERE CASE password WHEN 'hunter3E' THEN true END`,
		`SELECT 'aa' WHERE 'hunter3A' = 'b' AND 'x' <> password`,
		`SELECT 1 FROM t WHERE 'x' IN (password)`,
		`SELECT 1 FROM t WHERE 'x' = lower(t.password)`,
		`SELECT 1 FROM t WHERE password IS NOT DISTINCT FROM 'x'`,
		`SELECT 1 FROM t WHERE 'x' IS DISTINCT FROM password`,
		"-- -----BEGIN RSA PRIVATE KEY-----",
	} {
		if !secretText(text) {
			t.Errorf("no secret is seen in %s", text)
		}
	}
	for _, text := range []string{
		`SELECT password FROM users`,
		`SELECT token, count(*) FROM t GROUP BY token`,
		`SELECT * FROM sample.shop.customers WHERE city = 'Ghent'`,
		`SELECT id, secret FROM t WHERE name = 'x'`,
		`SELECT * FROM t WHERE customer_key = 'a'`,
		`SELECT 'https://example.com/a:b@c'`,
		`\bind city=Kraków`,
		`SELECT a.column FROM a WHERE tokenized = 'x'`,
		`SELECT * FROM a WHERE a.x = 'y' AND a.token = b.token AND a.z = 'z'`,
		`SELECT (token), 'x'`,
		`SELECT * FROM t WHERE a = 'x' AND b = tokens`,
		`SELECT * FROM t WHERE 'x' = a AND token IS NOT NULL`,
	} {
		if secretText(text) {
			t.Errorf("a secret is seen in %s", text)
		}
	}
}
