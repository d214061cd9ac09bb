-- What random statements found to be answered in another way.
SELECT count(*) FROM orders GROUP BY floor(100);
SELECT floor(100), count(*) FROM nation GROUP BY 1 ORDER BY ceiling(7);
SELECT abs(-1), regionkey, count(*) FROM nation GROUP BY abs(-1), regionkey ORDER BY 2;
SELECT name FROM nation ORDER BY floor(100), name LIMIT 2;
SELECT name, rank() OVER (PARTITION BY floor(100) ORDER BY ceiling(7)) FROM nation ORDER BY name LIMIT 2;
SELECT json_array_contains('abc', infinity()), json_array_contains('abc', 1e0), json_array_contains('[1]', nan()), json_array_contains(NULL, nan());
SELECT url_extract_parameter('a', ''), url_extract_parameter('http://a?=x', ''), url_extract_parameter('http://a?b', 'b'), url_extract_parameter('http://a?', ''), url_extract_parameter('http://a?x&y', '');
SELECT array_except(ARRAY[5, NULL, 5], CAST(ARRAY[] AS array(integer))), array_except(ARRAY[5, NULL, 5], ARRAY[1]), array_except(CAST(ARRAY[] AS array(integer)), ARRAY[1]), array_intersect(ARRAY[5, 5], ARRAY[5]), array_union(ARRAY[5, 5], CAST(ARRAY[] AS array(integer))), array_except(ARRAY[1, 1], CAST(NULL AS array(integer)));
SELECT CAST(REAL '0' AS varchar), CAST(REAL '-0' AS varchar), CAST(0e0 AS varchar), TRY_CAST(REAL '0' AS varchar), CAST(REAL '1' AS varchar), CAST(ARRAY[REAL '0'] AS json), CAST(REAL '0' AS json), concat('', CAST(REAL '0' AS varchar)), format('%s', REAL '0');
SELECT CAST(x AS varchar), TRY_CAST(x AS varchar) FROM (VALUES REAL '0', REAL '1.5') t(x);
SELECT CAST(REAL '0' AS varchar(2));
SELECT log2(discount), log10(discount), ln(discount), log(2e0, discount) FROM (VALUES 0.07, 0.00, 0.03, 8.00) t(discount);
SELECT log2(discount), count(*) FROM lineitem GROUP BY 1 ORDER BY 1;
SELECT nullif(CAST(NULL AS integer), 1 / 0), nullif(x, 1 / x) FROM (VALUES CAST(NULL AS integer)) t(x);
SELECT nullif(x, y), nullif(x, y + 1), nullif(y + 1, x) FROM (VALUES (1, 2), (2, 1), (NULL, 3), (3, NULL)) t(x, y);
SELECT round(infinity(), CAST(NULL AS integer)), round(nan(), NULL), round(x, n), truncate(nan()) FROM (VALUES (infinity(), 1), (infinity(), NULL), (1.25e0, NULL), (NULL, 1)) t(x, n);
SELECT name FROM nation n WHERE NOT EXISTS (SELECT 1 FROM region r WHERE r.regionkey = array_position(ARRAY[1, 2], n.regionkey)) ORDER BY name;
SELECT var_pop(x), var_samp(x), stddev(x) FROM (VALUES 1e300, 1e300) t(x);
SELECT array_remove(ARRAY[1, NULL, 2, 1], 1), array_remove(CAST(ARRAY[] AS array(bigint)), BIGINT '1'), array_remove(ARRAY[1], CAST(NULL AS integer)), array_intersect(ARRAY[1, 1], CAST(ARRAY[] AS array(integer))), array_intersect(ARRAY[1, NULL, NULL], ARRAY[NULL, 1]);
SELECT log2(t1.discount), abs(DECIMAL '99999999.99'), min(TIMESTAMP '1970-01-01 00:00:00.000') FROM lineitem t1 WHERE t1.orderkey <= 5 GROUP BY 1, 2;

-- Arguments that are NULL beside others that decide about the result.
SELECT substr(X'0011', -1, CAST(NULL AS bigint)), substr(X'0011', 3, CAST(NULL AS bigint)), substr(X'0011', CAST(NULL AS bigint));
SELECT split('abc', NULL), split(CAST(NULL AS varchar), 'b'), split('abc', CAST(NULL AS varchar), 2);
SELECT levenshtein_distance('', CAST(NULL AS varchar)), levenshtein_distance(CAST(NULL AS varchar), ''), levenshtein_distance('', '');

-- Logarithms to and of zero.
SELECT log(a, b) FROM (VALUES (-0e0, 0e0), (0e0, 0e0), (-0e0, 2e0), (0e0, 2e0), (2e0, -0e0), (2e0, 0e0), (1e0, 0e0), (1e0, 1e0)) t(a, b);
SELECT log(a, b) FROM (VALUES (infinity(), 0e0), (infinity(), infinity()), (0e0, infinity()), (-1e0, 2e0), (2e0, -1e0), (nan(), 2e0), (2e0, nan()), (CAST(NULL AS double), 2e0), (2e0, NULL)) t(a, b);

-- NaN among the keys of a sort by ordinal.
SELECT x, y % y FROM (VALUES (1, 0e0), (1, 2e0), (2, 0e0)) t(x, y) ORDER BY 1, 2 NULLS FIRST;
SELECT DISTINCT y FROM (VALUES nan(), 1e0, NULL, infinity()) t(y) ORDER BY 1 NULLS FIRST;
SELECT y FROM (VALUES nan(), 1e0, NULL, infinity()) t(y) ORDER BY 1 DESC NULLS FIRST;
SELECT y FROM (VALUES REAL '1', CAST(nan() AS real), NULL) t(y) UNION ALL SELECT REAL '7' ORDER BY 1 NULLS FIRST;
SELECT power(1e0, nan()), power(-1e0, infinity()), power(1e0, -infinity()), power(nan(), 0e0), power(2e0, NULL), power(1e0, 2e0), power(1e0, NULL), power(-1e0, 0.5e0);

-- The end of a text that ends with a line feed.
SELECT regexp_like(U&'a\000A', 'a$'), regexp_like(U&'a\000A\000A', 'a$'), regexp_like(U&'a\000D\000A', 'a$'), regexp_like(U&'a\000Ab', 'a$'), regexp_like(U&'a$\000A', '[$^]$'), regexp_like('a$', 'a\$');
SELECT regexp_replace(U&'a\000A', 'a$', 'x'), regexp_replace(U&'a\000A', '$', 'x'), regexp_replace(U&'a\000D\000A', '$', '!'), regexp_replace(U&'a\000Ab\000A', '$', '!'), regexp_replace(U&'a\000A', '\Z', '!'), regexp_replace(U&'a\000A', '\z', '!');
SELECT regexp_replace(U&'a\000Ab\000A', '(?m)$', '!'), regexp_replace(U&'a\000Ab\000A', '(?m)^', '!'), regexp_replace(U&'a\000Ab\000A', '(?m)^b$', '!'), regexp_replace(U&'\000A', '(?m)^', '!'), regexp_replace('', '(?m)^$', '!');
SELECT regexp_extract(U&'a\000A', 'a$'), regexp_count(U&'a\000A', '$'), regexp_split(U&'a\000A', '$'), regexp_extract_all(U&'żółw\000A', '\w+$|ó.*$'), regexp_position(U&'ża\000A', 'a$');
SELECT regexp_position('aaaa', '', 4), regexp_position('aaaa', '', 5), regexp_position('', '', 1), regexp_position('a', 'x*', 2), regexp_position('aaaa', '', 2, 2), split_part('a', NULL, 1), split_part('a,b', ',', 2);
SELECT mod(-1.5e0, log(0e0, 0e0)), 6e0 * log(2e0, 8e0), 12e0 / log(2e0, 8e0);
SELECT strpos(x, ''), strpos(x, 'a'), strpos('a', y), hamming_distance('', y), hamming_distance(x, '') FROM (VALUES (CAST(NULL AS varchar), CAST(NULL AS varchar))) t(x, y);
SELECT json_array_contains('Aabc', nan()), json_array_contains('[1]', infinity()), json_array_contains(JSON '[1]', nan()), json_array_contains(CAST(NULL AS json), nan());
SELECT from_iso8601_date(TRY(replace('2024-02-29', '2024-02-29')));
SELECT TRY(replace('2024-02-29', '02')), TRY(from_iso8601_date(replace('2024-02-29', '2024-02-29'))), TRY(TRY(1 / 0));
SELECT TRY(BIGINT '1') NOT IN (SELECT regionkey FROM nation WHERE nationkey < 0);
SELECT (if((REAL '1.5' IN (REAL '-2.25', REAL '3.4e38')), 9223372036854775807) / 9223372036854775807) FROM (VALUES 1) t(a) WHERE TRY(BIGINT '1') NOT IN (SELECT regionkey FROM nation WHERE nationkey < 0);
SELECT from_iso8601_date(TRY(replace(x, '2'))) FROM (VALUES '2024-02-29') t(x);
SELECT 12.345, (2.5e0 / discount), array_agg(DISTINCT (orderkey / orderkey) ORDER BY (orderkey / orderkey)) FILTER (WHERE false), stddev(tan(discount)) FROM lineitem WHERE orderkey <= 5 GROUP BY 1, 2 ORDER BY 2;
SELECT (2.5e0 / discount), count(*), stddev(tan(discount)) FROM lineitem WHERE orderkey <= 5 GROUP BY 1 ORDER BY 1;
-- TRY of what fails in some of many rows, where the engine's own would give other rows other values
SELECT count(y), sum(y) FROM (SELECT TRY(coalesce(TRY_CAST(CAST(x AS varchar) || IF(x % 3 = 0, 'x', '') AS bigint), CAST('x' || CAST(x AS varchar) AS bigint))) AS y FROM UNNEST(sequence(1, 1000)) t(x));
SELECT count(y), sum(y) FROM (SELECT TRY(CASE WHEN x % 7 = 0 THEN CAST('x' || CAST(x AS varchar) AS bigint) WHEN x % 7 = 1 THEN -x ELSE x END) AS y FROM UNNEST(sequence(1, 1000)) t(x));
SELECT count(y), sum(y) FROM (SELECT TRY_CAST(x AS tinyint) AS y FROM UNNEST(transform(sequence(1, 1000), i -> i * 1.5e0 % 1000)) t(x));
SELECT count(y), sum(length(y)) FROM (SELECT TRY(CASE WHEN x % 7 = 0 THEN CAST(x / (x % 7) AS varchar) WHEN x % 7 = 1 THEN 'a long text that is not kept inline ' || CAST(x AS varchar) ELSE 'b' END) AS y FROM UNNEST(sequence(1, 1000)) t(x));
-- queries in the conditions of outer joins
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON k IN (SELECT 1);
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON k = m AND k = (SELECT 1);
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON k + m = (SELECT 2);
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON k = m AND EXISTS (SELECT 1);
SELECT * FROM (VALUES 1, 2, NULL) a(k) FULL JOIN (VALUES 1, 3, NULL) b(m) ON k = m AND m = (SELECT 1);
SELECT * FROM (VALUES 1, 2, NULL) a(k) FULL JOIN (VALUES 1, 3, NULL) b(m) ON k > ALL (SELECT 0);
SELECT * FROM (VALUES 1, 2, NULL) a(k) RIGHT JOIN (VALUES 1, 3, NULL) b(m) ON k IN (SELECT 1) AND m IN (SELECT 3);
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON k = (SELECT 1) LEFT JOIN (VALUES 5) c(n) ON n > (SELECT 1);
SELECT * FROM (VALUES 1, 2, NULL) a(k) LEFT JOIN (VALUES 1, 3, NULL) b(m) ON CASE WHEN k NOT IN (SELECT 1) THEN true END;
SELECT n.name, r.name FROM nation n FULL JOIN region r ON n.regionkey = r.regionkey AND n.nationkey = (SELECT max(nationkey) FROM nation) ORDER BY 1, 2 LIMIT 3;
-- formats, means and roundings
SELECT format('%.20e|%.20f|%.0e|%e', 0.1e0, 0.1e0, 2.5e0, 5e-324), format('%.10e|%.10f', REAL '0.1', REAL '0.1'), format('%.2e|%.2e', 9.996e0, -0e0), format('%E', 1e-300);
SELECT format('%x|%o|%X', TINYINT '-128', -1, SMALLINT '-2'), format('%s|%s', JSON '{"a": [1, null]}', JSON '"x"');
SELECT avg(x), avg(y) FROM (VALUES (INTERVAL '-13' MONTH, INTERVAL '-0.001' SECOND), (INTERVAL '-26' MONTH, INTERVAL '-0.002' SECOND)) t(x, y);
SELECT round(1e21, 2), round(1.7976931348623157e308, -2), round(1.7976931348623157e308, 2), round(-1e20, 1), round(REAL '1e21', 1), round(9007199254740993e0, 3);
SELECT map_union(x) FROM (VALUES CAST(MAP() AS map(integer, integer)), CAST(MAP() AS map(integer, integer))) t(x);
SELECT json_value('-0', 'lax $'), regexp_replace('key=val', '(\w+)=', '$1');
SELECT regexp_replace('key=val', '(\w+)=', '$$');
SELECT x 'a' FROM (VALUES 1) t(x);
-- TRY of aggregates, window functions and expressions of groups
SELECT TRY(sum(x)), TRY(sum(x) / (count(*) - 3)), TRY(max(x) / 0), TRY(transform(array_agg(x ORDER BY x), e -> e / (max(x) - 3))) FROM (VALUES 1, 2, 3) t(x);
SELECT k + 1, TRY(sum(x) / (k + 1)), TRY(1 / (k + 1)), TRY(transform(ARRAY[1], e -> e / (k + 1))) FROM (VALUES (1, -1), (2, -1), (3, 5)) t(x, k) GROUP BY k + 1 ORDER BY 1;
SELECT x, TRY(ntile(x) OVER ()), TRY(10 / (row_number() OVER (ORDER BY x) - 1)), TRY(x / (lag(x) OVER (ORDER BY x) - 1)) FROM (VALUES 1, 2, 3) t(x);
SELECT k, TRY(TRY(sum(x) / k) + 10 / k), TRY(coalesce(TRY(sum(x) / k), k)), TRY(sum(sum(x)) OVER (ORDER BY k) / k), TRY((SELECT 10) / k) FROM (VALUES (1, 0), (2, 0), (3, 5)) t(x, k) GROUP BY k ORDER BY TRY(1 / (count(*) - 1)) NULLS FIRST;
SELECT TRY(grouping(k) / (grouping(k) - 1)), TRY(CAST(listagg(CAST(x AS varchar), '') WITHIN GROUP (ORDER BY x) AS tinyint)), k FROM (VALUES (1, 0), (2, 0), (3, 5)) t(x, k) GROUP BY ROLLUP (k) HAVING TRY(1 / (count(*) - 1)) IS NULL OR k = 0 ORDER BY k;
SELECT TRY(sum(x)) FROM (VALUES 9223372036854775807, 1) t(x);
SELECT format('%X|%x|%e|%E|%5X', NULL, NULL, NULL, NULL, NULL);
SELECT slice(ARRAY[1, 2, 3], -1, 9223372036854775807), slice(ARRAY[1, 2, 3], 1, 9223372036854775807), slice(ARRAY[1, 2, 3], 1, 9223372036854775806), slice(ARRAY[1, 2, 3], BIGINT '-9223372036854775808', 1);
SELECT round(REAL '0', 12345), round(0e0, 400), round(1e0, 309), round(1.5e0, 12345), round(0e0, -400), round(1.5e0, -400);
SELECT width_bucket(5e0, 0e0, 10e0, 9223372036854775807), width_bucket(9.999999999999999e0, 0e0, 10e0, 9223372036854775807), width_bucket(5e0, 10e0, 0e0, 9223372036854775807), width_bucket(3e0, 0e0, 10e0, 7);
SELECT format_number(BIGINT '-9223372036854775808'), format_number(BIGINT '-9223372036854775807'), format_number(9223372036854775807), format_number(-1e300), format_number(1e300);
-- TRY of what DuckDB computes more than once
SELECT x, TRY(json_array(1/x)), TRY(json_object('a': 1/x)), TRY(json_array(json_object('b': json_array(1/x ABSENT ON NULL)), x)), TRY(array_join(ARRAY[1/x, 2], ',')), TRY(reverse(CAST(1/x AS varchar))), TRY(upper(CAST(1/x AS varchar))), TRY(concat_ws(',', ARRAY[CAST(1/x AS varchar)])) FROM (VALUES 0, 1, NULL) t(x);
SELECT x, TRY(json_array(CAST(x AS integer))), TRY(json_object('a': CAST(x AS integer))), TRY(json_object(x: 1)), TRY(json_array(json_object(x: 1))) FROM (VALUES 'a', '1', NULL) t(x);
SELECT x, TRY(1/x IN (1, 2)), TRY(1/x NOT IN (1, 2)), TRY(1/x BETWEEN 0 AND 2), TRY(1/x NOT BETWEEN 0 AND 2), TRY(CASE 1/x WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END), TRY(nullif(1/x, 1)), TRY(1 BETWEEN 1/x AND 2), TRY(2 IN (3, 1/x)), TRY(1/x > 0 AND 2/x > 0), TRY(CASE 1 WHEN 1/x THEN 'a' WHEN 2/x THEN 'b' END) FROM (VALUES 0, 1, 2, NULL) t(x);
SELECT x, TRY(CAST(x AS integer) IN (1, 2)), TRY(CAST(x AS integer) NOT IN (1, 2)), TRY(CAST(x AS integer) BETWEEN 0 AND 2), TRY(CASE CAST(x AS integer) WHEN 1 THEN 'one' WHEN 2 THEN 'two' END), TRY(nullif(CAST(x AS bigint), 1)), TRY(CAST(x AS double) IN (1e0, 2e0)), TRY(greatest(CAST(x AS integer), 1)), TRY(CAST(x AS integer) IS DISTINCT FROM 1), TRY(abs(CAST(x AS integer)) = 1 OR CAST(x AS integer) > 1) FROM (VALUES 'a', '1', '3', NULL) t(x);
SELECT k, TRY(1/sum(x) IN (1, 2)), TRY(CASE 1/k WHEN 1 THEN count(*) WHEN 2 THEN sum(x) END), TRY(1/k BETWEEN (SELECT 0) AND max(x)) FROM (VALUES (0, 0), (1, 1), (1, 0)) t(k, x) GROUP BY k ORDER BY k;
SELECT reverse(x), reverse(to_utf8(x)), upper(x), array_join(ARRAY[x], ','), concat_ws(',', ARRAY[x]) FROM (VALUES '', 'aßc', NULL) t(x);
SELECT concat_ws(',', CAST(ARRAY[] AS array(varchar))), array_join(CAST(ARRAY[] AS array(integer)), ','), array_join(ARRAY[NULL, 1], ',', 'n');
-- the element that decides ends any_match and similar
SELECT any_match(ARRAY[1, 0], e -> 1/e > 0), all_match(ARRAY[1, 0], e -> 1/e > 1), none_match(ARRAY[1, 0], e -> 1/e > 0), any_match(ARRAY[NULL, 1, 0], e -> 1/e > 0), all_match(ARRAY[NULL, 2], e -> 1/e < 5), any_match(CAST(NULL AS array(integer)), e -> 1/e > 0), none_match(ARRAY[], e -> 1/e > 0);
SELECT any_match(ARRAY[0, 1], e -> 1/e > 0);
SELECT k, any_match(array_agg(x), e -> k/e > 0), all_match(array_agg(x), e -> e/k > 0), none_match(array_agg(x), e -> e/k > 5) FROM (VALUES (1, 1), (1, 1), (2, 7)) t(k, x) GROUP BY k ORDER BY k;
SELECT l, any_match(l, e -> 10/e > 4), all_match(l, e -> 10/e > 4), none_match(l, e -> 10/e > 4) FROM (VALUES ARRAY[1, 5], ARRAY[5, NULL], ARRAY[NULL, 1], ARRAY[], NULL) t(l);
SELECT any_match(ARRAY[ROW('1', 0), ROW('x', 1)], r -> CAST(r[1] AS integer) = 1), any_match(ARRAY[MAP(ARRAY['a'], ARRAY[1])], m -> m['a'] = 1), all_match(ARRAY[ARRAY[1, 0]], l -> any_match(l, e -> 1/e = 1));
-- array_intersect is in the order of the longer array
SELECT array_intersect(ARRAY[3, 1, 2], ARRAY[1, 2, 3, 4]), array_intersect(ARRAY[3, 1, 2], ARRAY[1, 2, 3]), array_intersect(ARRAY[1, 2, 3, 4], ARRAY[3, 1, 2]), array_intersect(ARRAY[3, NULL, 1], ARRAY[1, NULL, NULL, 3, 3]), array_intersect(ARRAY[], ARRAY[1]), array_intersect(CAST(NULL AS array(integer)), ARRAY[1]), array_intersect(ARRAY['b', 'a'], ARRAY['a', 'b', 'c']);
-- JSON functions of empty texts, of several values and of duplicate keys
SELECT x, json_value(x, 'lax $.a' DEFAULT 'e' ON EMPTY DEFAULT 'r' ON ERROR), json_query(x, 'lax $' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR), json_query(x, 'strict $' WITH WRAPPER), json_exists(x, 'lax $'), json_exists(x, 'lax $.a'), json_query(x, 'lax $[0]' WITH CONDITIONAL WRAPPER), json_query(x, 'lax $[*]' EMPTY ARRAY ON EMPTY), json_exists(x, 'strict $.a' UNKNOWN ON ERROR), json_query(x, 'lax $' OMIT QUOTES) FROM (VALUES '', '  ', U&'\000A\0009', U&'\00A0', '[]') t(x);
SELECT json_value('', 'lax $');
SELECT json_value('', 'lax $' DEFAULT 'e' ON EMPTY DEFAULT 'r' ON ERROR), json_value('', 'lax $' ERROR ON EMPTY), json_value('', 'lax $' RETURNING integer DEFAULT 1 ON EMPTY DEFAULT 2 ON ERROR);
SELECT x, json_value(x, 'lax $.a' DEFAULT 'e' ON EMPTY DEFAULT 'r' ON ERROR), json_query(x, 'lax $' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR), json_exists(x, 'lax $' UNKNOWN ON ERROR) FROM (VALUES '{"a":1} x', '[1,2] 3', '{} x', '1 x', '1x', '1,2', '1]', 'true x', 'truex', 'true,', 'null{', '"a"x', '"a" x', '{"a":1}}', '{"a":1', '1.5}', '-', '01', '{"a":1}{"a":2}') t(x);
SELECT json_query('{"b":2,"a":1,"b":3}', 'lax $'), json_query('[{"b":2,"a":{"x":1,"y":2,"x":3},"b":3}]', 'lax $[0]'), json_query('{"b":2,"b":3}', 'lax $.b'), json_query('{"b":[1],"b":{"c":1,"c":2}}', 'lax $' WITH WRAPPER), json_value('{"b":2,"b":3}', 'lax $.b');
SELECT json_array(U&'\+01F600x', 1), json_object(U&'k\+01F600': U&'v\+01F600'), json_object(x: x), json_array(x), json_query(json_array(x), 'lax $[0]'), json_array(CAST(U&'\+01F600' AS char(2))), json_array(json_array(x)) FROM (VALUES U&'a\+01F600"\000A\0001\007F\2028/') t(x);
-- a row without field names is not cast from an object
SELECT CAST(JSON '{"a": 1}' AS row(bigint));
SELECT CAST(JSON '{"a": 1}' AS row(x bigint, varchar));
SELECT CAST(JSON '[{"a": 1}]' AS array(row(bigint)));
SELECT CAST(JSON '{"a": {"b": 1}}' AS row(a row(bigint)));
SELECT CAST(JSON '{"a": {"b": 1}}' AS map(varchar, row(bigint)));
SELECT TRY(CAST(JSON '{"a": 1}' AS row(bigint))), TRY_CAST(JSON '[{"a": 1}]' AS array(row(bigint))), TRY_CAST(JSON '{}' AS row(bigint)), CAST(JSON '[1]' AS row(bigint)), TRY(CAST(JSON '{"a": 1}' AS row(a bigint, bigint))), TRY(CAST(JSON '[1, 2]' AS row(a bigint, bigint)));
-- errors that TRY does not catch
SELECT TRY(json_value('{', 'lax $' ERROR ON ERROR));
SELECT TRY(json_value('[1,2]', 'lax $[*]' ERROR ON ERROR));
SELECT TRY(json_value('{}', 'lax $.a' ERROR ON EMPTY));
SELECT TRY(json_value('"x"', 'lax $' RETURNING integer ERROR ON ERROR));
SELECT TRY(json_query('{', 'lax $' ERROR ON ERROR));
SELECT TRY(json_query('[1,2]', 'lax $[*]' ERROR ON ERROR));
SELECT TRY(json_query('{}', 'lax $.a' ERROR ON EMPTY));
SELECT TRY(json_exists('{', 'lax $' ERROR ON ERROR));
SELECT TRY(json_exists('{}', 'strict $.a' ERROR ON ERROR));
SELECT TRY(json_value(x, 'lax $.a' ERROR ON ERROR)) FROM (VALUES '{"a":1}', '{"a":"b"}') t(x);
