-- Statements which engines other than Trino are known to answer in another way, family by family: where the answer itself differs, where a
-- statement is accepted that Trino refuses, where one is refused that Trino answers, and where a type differs.
-- parts of intervals
SELECT extract(day FROM d2 - d1), extract(hour FROM d2 - d1) FROM (VALUES (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-02-03 05:00:00')) t(d1, d2);
SELECT hour(INTERVAL '28' HOUR), day(INTERVAL '28' HOUR), minute(INTERVAL '90' MINUTE), year(INTERVAL '14' MONTH), month(INTERVAL '14' MONTH);
-- USING and the order of columns
SELECT * FROM (VALUES (1, 2)) t(a, k) JOIN (VALUES (3, 2)) u(b, k) USING (k);
SELECT t.*, u.* FROM (VALUES (1, 2)) t(a, k) JOIN (VALUES (3, 2)) u(b, k) USING (k);
SELECT * FROM (VALUES (1, 2, 5)) t(a, k, l) FULL JOIN (VALUES (3, 4, 5)) u(b, l, k) USING (l, k);
SELECT k FROM (VALUES (1, 2)) t(a, k) JOIN (VALUES (3, 2)) u(b, k) USING (k);
SELECT t.k FROM (VALUES (1, 2)) t(a, k) JOIN (VALUES (3, 2)) u(b, k) USING (k);
-- rows as relations
SELECT * FROM UNNEST(ARRAY[ROW(1, 'x')]);
SELECT * FROM UNNEST(ARRAY[ROW(1, 'x')]) WITH ORDINALITY;
SELECT * FROM UNNEST(MAP(ARRAY[1, 2], ARRAY['a', 'b']));
VALUES ROW(1, 'a');
SELECT * FROM (VALUES ROW(1, 'a')) t(a, b);
-- precision of times
SELECT CAST(TIMESTAMP '2024-01-01 12:34:56.789' AS time), CAST(TIMESTAMP '2024-01-01 12:34:56.789' AS time(0)), CAST(TIMESTAMP '2024-01-01 12:34:56.789' AS timestamp(1)), CAST(TIME '12:34:56.789' AS time(1));
SELECT CAST(TIMESTAMP '2024-01-01 23:59:59.999' AS timestamp(0)), CAST(TIMESTAMP '2024-01-01 23:59:59.999' AS time(0)), CAST(TIMESTAMP '2024-01-01 23:59:59.999' AS date);
SELECT typeof(localtime(0)), typeof(localtimestamp(1)), typeof(current_timestamp(9)), typeof(current_time);
-- NaN
SELECT nan() > 5, nan() < 5, nan() = nan(), nan() <> nan(), nan() IS DISTINCT FROM nan(), nan() BETWEEN 1 AND 2, nan() IN (nan());
SELECT max(x), min(x), max_by(k, x), min_by(k, x), greatest(nan(), 1e0), least(nan(), 1e0) FROM (VALUES (1, 5e0), (2, nan()), (3, 1e0)) t(k, x);
SELECT x, count(*) FROM (VALUES nan(), nan(), 1e0) t(x) GROUP BY x ORDER BY x;
SELECT CAST(0e0 / 0e0 AS varchar), CAST(-0e0 AS varchar), CAST(1e0 / 0 AS varchar), CAST(CAST(nan() AS real) AS varchar);
-- NULL inside of rows and arrays
SELECT ROW(1, NULL) = ROW(1, 2), ROW(1, NULL) = ROW(2, NULL), ROW(1, NULL) <> ROW(1, 2), ARRAY[1, NULL] = ARRAY[1, 2], ARRAY[1, NULL] = ARRAY[2, NULL], ROW(1, NULL) IS DISTINCT FROM ROW(1, NULL);
SELECT ROW(1, 2) IN (ROW(1, NULL)), ROW(1, 2) NOT IN (ROW(1, NULL), ROW(3, 4)), (1, 2) NOT IN (SELECT * FROM (VALUES (1, CAST(NULL AS integer))) t(a, b)), ARRAY[1] IN (ARRAY[NULL]);
-- maps whose keys are in another order
SELECT MAP(ARRAY[1, 2], ARRAY['a', 'b']) = MAP(ARRAY[2, 1], ARRAY['b', 'a']), MAP(ARRAY[1, 2], ARRAY['a', 'b']) IS DISTINCT FROM MAP(ARRAY[2, 1], ARRAY['b', 'a']);
SELECT count(*), count(DISTINCT m) FROM (VALUES MAP(ARRAY[1, 2], ARRAY['a', 'b']), MAP(ARRAY[2, 1], ARRAY['b', 'a'])) t(m);
SELECT count(*) FROM (SELECT m FROM (VALUES MAP(ARRAY[1, 2], ARRAY['a', 'b']), MAP(ARRAY[2, 1], ARRAY['b', 'a'])) t(m) GROUP BY m);
-- white space that trim takes
SELECT to_utf8(trim(U&'\2028 a\0009\000A')), length(trim(U&'\2028 a\0009\000A')), length(ltrim(U&'\00A0a')), length(rtrim(U&'a\3000'));
-- numbers in JSON
SELECT CAST(JSON '128.9' AS varchar), CAST(JSON '1e3' AS varchar), CAST(JSON '100' AS varchar), CAST(JSON '0.1' AS varchar);
SELECT CAST(JSON '123456789012345678901234567890.12345678' AS decimal(38,8)), CAST(JSON '1.5' AS decimal(2,1));
SELECT CAST(1234567890e0 AS decimal(30,20)), CAST(65.1e0 AS decimal(20,15)), CAST(1e22 AS decimal(38,2)), CAST(REAL '65.1' AS decimal(20,15));
SELECT CAST(REAL '3.14' AS json), CAST(nan() AS json), CAST(infinity() AS json), CAST(1e0 AS json), CAST(DECIMAL '1.10' AS json);
SELECT CAST(MAP(ARRAY['b', 'a'], ARRAY[1, 2]) AS json), CAST(MAP(ARRAY[10, 9], ARRAY['x', NULL]) AS json);
-- zones in texts
SELECT to_iso8601(TIMESTAMP '2024-01-01 12:00:00 Europe/Berlin'), to_iso8601(TIMESTAMP '2024-01-01 12:00:00 +01:00'), to_iso8601(DATE '2024-01-01'), to_iso8601(TIMESTAMP '2024-01-01 12:00:00.5');
SELECT format('%s', TIMESTAMP '2024-01-01 12:00:00 Europe/Berlin'), format('%s', TIMESTAMP '2024-01-01 12:00:00'), format('%s', DATE '2024-01-01');
-- fractions beyond milliseconds
SELECT TIMESTAMP '2024-01-01 00:00:00.0006' - TIMESTAMP '2024-01-01 00:00:00', date_format(TIMESTAMP '2024-01-01 00:00:00.123678', '%f'), format_datetime(TIMESTAMP '2024-01-01 00:00:00.123678', 'SSS');
SELECT TIMESTAMP '2024-01-01 00:00:00.123456789' + INTERVAL '1' SECOND, TIMESTAMP '2024-01-01 00:00:00.1234567' - INTERVAL '1' DAY, CAST(TIMESTAMP '2024-01-01 00:00:00.123456789' AS timestamp(6));
-- NULL in collections
SELECT array_join(ARRAY[NULL, NULL], ','), array_join(ARRAY[1, NULL], ','), array_join(ARRAY[1, NULL], ',', '?'), array_join(CAST(ARRAY[] AS array(integer)), ',');
SELECT map_entries(CAST(NULL AS map(integer, integer))), map_concat(MAP(ARRAY[1], ARRAY[2]), NULL, MAP(ARRAY[3], ARRAY[4])), concat(ARRAY[1], x) FROM (VALUES CAST(NULL AS array(integer))) t(x);
SELECT concat_ws(NULL, ARRAY['abc']), concat_ws(',', ARRAY['a', NULL, 'b']), split_to_map('', ',', '='), split_to_map('a=1,b=2', ',', '=');
-- characters beyond ASCII
SELECT levenshtein_distance('žluť', 'zluty'), hamming_distance('ž', 'z'), levenshtein_distance('', 'añ'), length('𝄞'), reverse('a𝄞b'), strpos('a𝄞b', 'b'), substr('a𝄞b', 2, 1);
SELECT replace('abc', '', 'xx'), regexp_replace('x', '.*', 'xxxxx'), replace('', '', 'x'), regexp_replace('abc', '', '-');
-- rounding
SELECT round(9223372036854775807, -2), round(-9223372036854775807, -1), round(BIGINT '15', -1), round(SMALLINT '15', -1);
SELECT DECIMAL '99999999999999999999999999999999999997' % DECIMAL '3.0000000000000000';
SELECT DECIMAL '1' / DECIMAL '3', DECIMAL '1.0' / DECIMAL '3', DECIMAL '10' / 3, DECIMAL '2.00' / DECIMAL '0.3';
-- fields of JSON
SELECT j.foo FROM (VALUES JSON '{"foo": "bar"}') t(j);
-- comments do not nest
SELECT 1 /* /* */ + 10 --;
-- keys of maps that became NULL
SELECT CAST(MAP(ARRAY[JSON 'null'], ARRAY[1]) AS MAP(bigint, bigint));
-- expressions that differ from their twin in GROUP BY or ORDER BY in qualification or case
SELECT date_trunc('month', o.orderdate), count(*) FROM orders o GROUP BY date_trunc('month', orderdate) ORDER BY 1 LIMIT 3;
SELECT DATE_TRUNC('month', orderdate) AS m, count(*) FROM orders o GROUP BY date_trunc('month', o.ORDERDATE) ORDER BY date_trunc('month', orderdate) LIMIT 3;
SELECT upper(N.name) FROM nation n GROUP BY upper(name) ORDER BY UPPER(n.NAME) LIMIT 3;
SELECT a, b, count(*) FROM (VALUES (1, 2), (1, 3)) t(a, b) GROUP BY CUBE(a), CUBE(b) ORDER BY 1, 2, 3;
SELECT abs(-007.5), 007.5, 00.50, -0.0, typeof(007.50);
SELECT * FROM (VALUES 1, 2) t(a) CROSS JOIN LATERAL (SELECT ROW(a, a + 1) AS r);
SELECT * FROM (VALUES 1, 2) t(a) CROSS JOIN LATERAL (VALUES ROW(a, a + 1)) u(x, y);
-- recursion without an end
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t;
-- values that are refused
SELECT CAST(12.345 AS varchar(3));
SELECT CAST(12345 AS varchar(3));
SELECT CAST(true AS varchar(3));
SELECT CAST(DATE '2024-01-01' AS varchar(5));
SELECT split_to_map('key', ',', '=');
SELECT split_to_map('a=1,a=2', ',', '=');
SELECT sequence(1, 5, -1);
SELECT sequence(5, 1, 1);
SELECT cardinality(sequence(1, 10000)), sequence(5, 1);
SELECT sequence(1, 10001);
SELECT repeat('x', -1);
SELECT repeat(1, 10001);
SELECT round(SMALLINT '32767', -3);
SELECT round(TINYINT '127', -1);
SELECT rand(-1);
SELECT random(0);
SELECT lpad('abc', -1, 'x');
SELECT rpad('abc', 5, '');
SELECT CAST(JSON '"128.9"' AS bigint);
SELECT CAST(JSON '128.9' AS bigint);
SELECT MAP(ARRAY[1, 1], ARRAY[2, 3]);
SELECT map_from_entries(ARRAY[ROW(1, 2), ROW(1, 3)]);
SELECT TIME '12:00:00.1234567890123';
SELECT TIME '12:00:00.123456789012';
SELECT 1234567890123456789012345678901234567890.0;
SELECT DECIMAL '123456789012345678901234567890123456789';
SELECT hour(DATE '2024-01-01');
SELECT 3 IN (2, 4, 3, 5 / 0);
-- names that are refused
SELECT * FROM (VALUES (1, 2, 3)) u(x, y);
WITH a(x) AS (SELECT 1, 2) SELECT * FROM a;
SELECT * FROM (VALUES 1) t(a) NATURAL JOIN (VALUES 1) u(a);
SELECT DISTINCT name FROM nation ORDER BY nationkey;
SELECT DISTINCT name FROM nation ORDER BY upper(name);
SELECT 'a'
  'b';
SELECT * FROM (VALUES 1) t(a), (SELECT a + 1) u;
-- windows that are refused
SELECT lag(x) OVER () FROM (VALUES 1, 2) t(x);
SELECT lead(x) OVER (PARTITION BY x) FROM (VALUES 1, 2) t(x);
SELECT sum(x) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM (VALUES 1) t(x);
SELECT sum(x) OVER (ORDER BY x RANGE BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM (VALUES 1) t(x);
SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM (VALUES 1) t(x);
SELECT sum(x) OVER (ORDER BY x ROWS -1 PRECEDING) FROM (VALUES 1) t(x);
SELECT sum(x) FILTER (WHERE x > 1) OVER () FROM (VALUES 1, 2) t(x);
SELECT rank() OVER w FROM (VALUES 1) t(x);
SELECT rank() OVER w FROM (VALUES 1) t(x) WINDOW v AS (ORDER BY x);
-- types that are refused
SELECT (VALUES true) IN (VALUES 1);
SELECT transform(ARRAY[1, 2], (x, i) -> x + i);
SELECT filter(ARRAY[1, 2], (x, i) -> x > i);
SELECT listagg(x, ',') WITHIN GROUP (ORDER BY x) FROM (VALUES 1, 2) t(x);
SELECT listagg(x, ',') FROM (VALUES 'a', 'b') t(x);
SELECT count(*) FROM (VALUES 1, 2) t(x) GROUP BY ROLLUP(x + 1);
-- words that are not reserved
SELECT show, limit, offset, window, only, some, any, "desc" FROM (VALUES (1, 2, 3, 4, 5, 6, 7, 8)) t(show, limit, offset, window, only, some, any, desc);
SELECT desc, to, array, asc, both, lateral, collate, fetch FROM (VALUES (1, 2, 3, 4, 5, 6, 7, 8)) t(desc, to, array, asc, both, lateral, collate, fetch);
SELECT pivot, qualify, notnull, isnull, all, verbose, binary FROM (VALUES (1, 2, 3, 4, 5, 6, 7)) t(pivot, qualify, notnull, isnull, all, verbose, binary);
SELECT 1 AS show, 2 AS limit, 3 AS offset, 4 AS window, 5 AS only, 6 AS some, 7 AS any, 8 AS desc, 9 AS asc, 10 AS to;
SELECT date, time, timestamp, year, month, day, hour, zone, row, map, json FROM (VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) t(date, time, timestamp, year, month, day, hour, zone, row, map, json);
SELECT first, last, next, partition, range, rows, schema, session, set, start, text FROM (VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) t(first, last, next, partition, range, rows, schema, session, set, start, text);
-- JSON as rows
SELECT CAST(JSON '{"a": 1, "c": 3}' AS ROW(a integer, b integer)), CAST(JSON '[1, 2]' AS ROW(a integer, b varchar)), CAST(JSON '[[1, "x"]]' AS ARRAY(ROW(a integer, b varchar)));
SELECT CAST(JSON '[1]' AS ROW(a integer, b integer));
-- subqueries in joins
SELECT n.name, r.name FROM nation n LEFT JOIN region r ON n.regionkey = r.regionkey AND r.regionkey IN (SELECT regionkey FROM region WHERE name = 'ASIA') ORDER BY n.nationkey LIMIT 10;
-- lambdas
SELECT array_sort(ARRAY[3, 1, 2], (x, y) -> IF(x < y, 1, IF(x = y, 0, -1))), array_sort(ARRAY[3, NULL, 1]);
-- rows and their fields
SELECT t.r.*, t.r.a FROM (VALUES CAST(ROW(1, 'x') AS ROW(a integer, b varchar))) t(r);
SELECT r[1], r[2] FROM (VALUES CAST(ROW(1, 'x') AS ROW(a integer, b varchar))) t(r);
SELECT count(DISTINCT x) OVER (), array_agg(DISTINCT x) OVER () FROM (VALUES 1, 1, 2) t(x);
-- intervals
SELECT CAST(INTERVAL '1' DAY AS varchar), CAST(INTERVAL '14' MONTH AS varchar), INTERVAL '1' DAY * 2, 2.5 * INTERVAL '1' DAY, INTERVAL '1' DAY / 2.5, INTERVAL '3' MONTH * 2;
SELECT sum(x), avg(x) FROM (VALUES INTERVAL '1' DAY, INTERVAL '2' DAY) t(x);
SELECT sum(x), avg(x) FROM (VALUES INTERVAL '1' MONTH, INTERVAL '2' MONTH) t(x);
-- times
SELECT TIME '12:00:00' - TIME '10:30:00', date_diff('minute', TIME '10:00:00', TIME '12:00:00'), date_trunc('hour', TIME '10:45:00'), date_add('minute', 90, TIME '23:00:00');
SELECT TIME '12:00:00.123456789', TIMESTAMP '2024-01-01 00:00:00.123456789012', typeof(TIMESTAMP '2024-01-01 00:00:00.1234567');
-- binary
SELECT CAST('abc' AS varbinary);
SELECT substr(X'616263', 2), lpad(X'61', 3, X'00'), rpad(X'61', 3, X'00'), X'6162' || X'63', reverse(X'616263'), length(X'616263');
-- text
SELECT strpos('abcabc', 'b', 2), strpos('abcabc', 'b', -1), position('b' IN 'abc'), split_part('a,b,c', ',', 2), soundex('Robert'), translate('abc', 'ab', 'x');
-- rounding by a column
SELECT round(x, n), truncate(x, n) FROM (VALUES (DECIMAL '1.255', 2), (DECIMAL '-1.255', 1), (DECIMAL '1.255', -1)) t(x, n);
SELECT array_join(a, s) FROM (VALUES (ARRAY['a', 'b'], '-'), (ARRAY['c'], '+')) t(a, s);
SELECT CAST('a' AS char(3)) || 'b', CAST('a  ' AS char(3)) = 'a', length(CAST('a' AS char(3))), typeof(CAST('a' AS char(3)));
SELECT json_value('{"a": 1}', 'lax $.a'), json_query('{"a": [1]}', 'lax $.a'), json_exists('{"a": 1}', 'lax $.b');
SELECT json_object('a': 1, 'b': 'x'), json_array(1, 'x', NULL);
SELECT regexp_like('foobar', 'foo(?=bar)'), regexp_extract('foobar', '(?<=foo)bar'), regexp_replace('aXbX', '(?i)x', '$0$0'), regexp_like('aa', '(a)\1');
-- functions
SELECT json_array_get('[1, "x"]', 0), json_array_get('[1, "x"]', -1), cosine_similarity(MAP(ARRAY['a'], ARRAY[1e0]), MAP(ARRAY['a'], ARRAY[2e0])), width_bucket(5e0, 0e0, 10e0, 4), parse_duration('3.5m');
SELECT timezone_minute(TIMESTAMP '2024-01-01 00:00:00 +05:30'), timezone_hour(TIMESTAMP '2024-01-01 00:00:00 +05:30'), bit_count(7, 64), combinations(ARRAY[1, 2, 3], 2), bitwise_left_shift(1, 3), human_readable_seconds(3661);
SELECT extract(timezone_hour FROM TIMESTAMP '2024-01-01 00:00:00 +05:30'), extract(timezone_minute FROM TIMESTAMP '2024-01-01 00:00:00 +05:30');
SELECT split_to_multimap('a=1,a=2', ',', '='), map_zip_with(MAP(ARRAY[1], ARRAY[2]), MAP(ARRAY[1], ARRAY[3]), (k, a, b) -> a + b);
SELECT reduce_agg(x, 0, (a, b) -> a + b, (a, b) -> a + b) FROM (VALUES 1, 2, 3) t(x);
SELECT x FROM (VALUES 1, 2, 2, 3) t(x) ORDER BY x FETCH FIRST 2 ROWS WITH TIES;
-- what later versions have
SELECT true IS TRUE;
SELECT (DATE '2024-01-01', DATE '2024-02-01') OVERLAPS (DATE '2024-01-15', DATE '2024-03-01');
SELECT overlay('abcdef' PLACING 'xx' FROM 2);
SELECT name FROM nation GROUP BY AUTO;
SELECT 1 AS a UNION CORRESPONDING SELECT 2 AS a;
-- types
SELECT typeof(TIMESTAMP '2024-01-01 00:00:00.1'), typeof(TIMESTAMP '2024-01-01 00:00:00.12'), typeof(TIMESTAMP '2024-01-01 00:00:00.1234'), typeof(TIMESTAMP '2024-01-01 00:00:00.12345678'), typeof(ARRAY[TIMESTAMP '2024-01-01 00:00:00.1']);
SELECT TIMESTAMP '2024-01-01 00:00:00.1', TIMESTAMP '2024-01-01 00:00:00.1234', TIMESTAMP '2024-01-01 00:00:00.12345678', ARRAY[TIMESTAMP '2024-01-01 00:00:00.1'];
SELECT x, typeof(x) FROM (VALUES INTERVAL '1' DAY) t(x);
SELECT x, typeof(x) FROM (VALUES INTERVAL '1' MONTH) t(x);
SELECT NULL, typeof(NULL), typeof(ARRAY[NULL]), typeof(MAP(ARRAY[1], ARRAY[NULL])), NULL || 'a', typeof(1 + NULL), nullif(1, 1);
SELECT array_intersect(ARRAY[1], ARRAY[BIGINT '1']), typeof(array_intersect(ARRAY[1], ARRAY[BIGINT '1'])), typeof(array_union(ARRAY[1], ARRAY[1.5]));
-- words of errors
SELECT ROW(1, 2).x;
SELECT orderdate, count(*) FROM orders GROUP BY orderpriority;
SELECT count(*) FROM nation n LEFT JOIN region r ON n.regionkey IN (SELECT regionkey FROM region WHERE r.name = 'ASIA');
SELECT listagg(name, x) WITHIN GROUP (ORDER BY name) FROM (SELECT name, ',' AS x FROM nation);
SELECT TRY(random() / 0) IS NULL;
SELECT lpad('x', 'y', 'z');
SELECT sum(x) FROM (VALUES 9223372036854775807, 1) t(x);
SELECT CAST(ARRAY[1] AS integer);
SELECT extract(nope FROM DATE '2024-01-01');
SELECT 9223372036854775807 + 1, 1;
SELECT -9223372036854775808;
SELECT CAST(999 AS tinyint);
SELECT sum(x) FROM (VALUES DECIMAL '99999999999999999999999999999999999999', DECIMAL '1') t(x);
