-- Statements as people write them who look at data, and what was found with them.
-- TRY of functions whose results are limited
SELECT TRY(replace('abc', 'b', 'x'));
SELECT TRY(lpad('a', -1, 'x')), TRY(rpad('a', 5, '')), TRY(lpad('a', 3, 'xy'));
SELECT TRY(repeat('x', 3)), TRY(repeat('x', -1)), TRY(sequence(1, 3)), TRY(sequence(1, 20000)), TRY(sequence(3, 1, 1));
SELECT TRY(replace(x, y, 'z')), TRY(lpad(x, n, y)), TRY(rpad(x, n, y)) FROM (VALUES ('abc', 'b', 5), ('abc', '', 5), ('abc', 'x', -1), (NULL, 'x', 1)) t(x, y, n);
SELECT TRY(CAST(replace(x, ',', '') AS integer)) FROM (VALUES '1,000', 'x') t(x);
SELECT x, TRY(CAST(lpad(x, 3, '0') AS integer)) FROM (VALUES '1', 'x') t(x);
SELECT TRY(upper(replace('a', 'a', 'b')) || 'x'), TRY(date_parse(replace('2024/01/01', '/', '-'), '%Y-%m-%d'));
SELECT TRY(array_agg(x)), TRY(sum(CAST(replace(x, 'a', '') AS integer))) FROM (VALUES '1a', '2a') t(x);
SELECT TRY(format('%s', 1)), TRY(regexp_replace('a', 'a', 'b')), TRY(replace('abc', 'b'));
SELECT TRY(rpad('日本', 1, 'x')), TRY(lpad('日', 4, 'ab')), TRY(replace('日本', '', '-')), TRY(replace('', '', '-'));
SELECT TRY(CAST(lpad(x, 2, '0') AS char(3))), TRY(CAST(x AS uuid)), TRY(CAST(x AS varbinary)) FROM (VALUES '1', 'x') t(x);
SELECT TRY_CAST(replace(x, ',', '') AS integer), TRY_CAST(lpad(x, 3, '0') AS integer) FROM (VALUES '1,000', 'x') t(x);
-- what is not supported is not NULL in TRY
SELECT TRY(regexp_like('a', 'a++'));
SELECT TRY(regexp_like(x, 'a++')) FROM (VALUES 'a', 'b') t(x);
SELECT TRY(regexp_like('a', '('));
-- patterns that are invalid
SELECT regexp_like('a', 'a)');
SELECT regexp_like('a', '[]');
SELECT regexp_like('a', '[^]');
SELECT regexp_like('a', '[a-');
SELECT regexp_like('a', '*a');
SELECT regexp_like('a', 'a|*');
SELECT regexp_like('a', '{2}');
SELECT regexp_like('a', '(a)\2');
SELECT regexp_like(x, '(') FROM (VALUES 'a') t(x);
SELECT regexp_like('a', p) FROM (VALUES '(', 'a') t(p);
SELECT regexp_split('a', '[');
SELECT regexp_count('a', ')');
SELECT regexp_replace('a', '(', x -> x[1]);
-- NaN of a division has a sign
SELECT CAST(x AS json), format('%s', x), format('%.2f', x), CAST(MAP(ARRAY[1], ARRAY[x]) AS json), CAST(ARRAY[x] AS json) FROM (VALUES 0e0/0e0, -(0e0/0e0), sqrt(-1)) t(x);
-- format_number
SELECT format_number(123456), format_number(1e6), format_number(1234567.891), format_number(-5), format_number(0), format_number(999), format_number(1000), format_number(1500000), format_number(12345678901234);
SELECT format_number(x) FROM (VALUES 999, 1000, 1001, 999500, 123456789, 9223372036854775807, -1234, NULL, 10, 99999, 100000, 1125, 1005000, 99950, 9995, 99949) t(x);
SELECT format_number(x) FROM (VALUES 0.5e0, 0e0, 1.234e0, 999.9e0, 1234.5e0, 1e15, 1e18, 1e20, nan(), infinity(), -0.001e0, 99.96e0, 999.6e0) t(x);
-- JSON that does not fit
SELECT CAST(JSON '"日本語"' AS varchar(3)), CAST(JSON 'true' AS varchar(4)), CAST(JSON '["abc"]' AS array(varchar(3)));
SELECT CAST(JSON '1.5' AS varchar(2));
SELECT CAST(JSON '-1e30' AS bigint);
-- types in other letters
SELECT CAST(o.orderdate AS varchar(10)), count(*) FROM orders o GROUP BY CAST(orderdate AS VARCHAR(10)) ORDER BY cast(orderdate AS varchar(10)) LIMIT 3;
-- names of fields that need quotes
SELECT CAST(JSON '{"my field": 1}' AS row("my field" integer, q4 integer)), CAST(CAST(ROW(1) AS row("my x" integer)) AS json);
SELECT CAST(CAST(ROW(1) AS row("ä" integer)) AS json), CAST(CAST(ROW(1) AS row("Ä,b(" integer)) AS json), CAST(JSON '{"1": 2}' AS row("1" integer));
SELECT CAST(JSON '{"Ä": 1}' AS row("ä" integer, q6 integer)), CAST(JSON '[{"x y": [1.5], "n": null}]' AS array(row("x y" array(decimal(10,2)), n timestamp(3))));
SELECT CAST(CAST(JSON '{"a": 1}' AS row("A" integer, q7 integer)) AS row(a integer, b integer)), CAST(JSON '{"A": 1}' AS row(A integer, q2 integer));
SELECT m, m['x']."my x" FROM (VALUES MAP(ARRAY['x'], ARRAY[CAST(ROW(1, 2) AS row("my x" integer, "ä" integer))])) t(m);
