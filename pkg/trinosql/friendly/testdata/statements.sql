FROM region
=>
SELECT * FROM region;

FROM region ORDER BY name
=>
SELECT * FROM region ORDER BY name;

FROM nation SELECT name WHERE regionkey = 1 ORDER BY name
=>
SELECT name FROM nation WHERE regionkey = 1 ORDER BY name;

FROM nation n JOIN region r ON n.regionkey = r.regionkey SELECT n.name, r.name AS region WHERE r.name = 'ASIA' ORDER BY 1
=>
SELECT n.name, r.name AS region FROM nation n JOIN region r ON n.regionkey = r.regionkey WHERE r.name = 'ASIA' ORDER BY 1;

FROM nation -- all of them
SELECT name, /* the key */ regionkey
WHERE regionkey < 2
ORDER BY name
=>
SELECT name, /* the key */ regionkey FROM nation -- all of them

WHERE regionkey < 2
ORDER BY name;

FROM (FROM nation SELECT nationkey, regionkey WHERE nationkey < 5) SELECT regionkey, count(*) AS n GROUP BY ALL ORDER BY ALL
=>
SELECT regionkey, count(*) AS n FROM (SELECT nationkey, regionkey FROM nation WHERE nationkey < 5) GROUP BY 1 ORDER BY 1, 2;

FROM region SELECT name UNION ALL FROM nation SELECT name WHERE nationkey = 0 ORDER BY name
=>
SELECT name FROM region UNION ALL SELECT name FROM nation WHERE nationkey = 0 ORDER BY name;

WITH big AS (FROM nation WHERE nationkey > 20) FROM big SELECT name ORDER BY name
=>
WITH big AS (SELECT * FROM nation WHERE nationkey > 20) SELECT name FROM big ORDER BY name;

SELECT name FROM nation WHERE regionkey IN (FROM region SELECT regionkey WHERE name = 'ASIA') ORDER BY name
=>
SELECT name FROM nation WHERE regionkey IN (SELECT regionkey FROM region WHERE name = 'ASIA') ORDER BY name;

SELECT r.name FROM region r WHERE EXISTS (FROM nation n WHERE n.regionkey = r.regionkey AND n.name LIKE 'F%')
=>
SELECT r.name FROM region r WHERE EXISTS (SELECT * FROM nation n WHERE n.regionkey = r.regionkey AND n.name LIKE 'F%');

FROM region ORDER BY name LIMIT 2 OFFSET 1
=>
SELECT * FROM region ORDER BY name OFFSET 1 LIMIT 2;

SELECT name FROM region ORDER BY name LIMIT 2 OFFSET 1
=>
SELECT name FROM region ORDER BY name OFFSET 1 LIMIT 2;

SELECT name FROM (SELECT name FROM nation ORDER BY name LIMIT 5 OFFSET 2) ORDER BY name DESC LIMIT 2 OFFSET 1
=>
SELECT name FROM (SELECT name FROM nation ORDER BY name OFFSET 2 LIMIT 5) ORDER BY name DESC OFFSET 1 LIMIT 2;

SELECT nationkey::varchar AS k, '17'::int + nationkey AS n FROM nation ORDER BY nationkey LIMIT 3
=>
SELECT CAST(nationkey AS varchar) AS k, CAST('17' AS int) + nationkey AS n FROM nation ORDER BY nationkey LIMIT 3;

SELECT -1::bigint, - 2::double
=>
SELECT -CAST(1 AS bigint), - CAST(2 AS double);

SELECT -(1::bigint), (2.5 + 1)::integer, '2024-02-29'::date, '12:30:00' :: time(0), 'x'::char(3)
=>
SELECT -(CAST(1 AS bigint)), CAST((2.5 + 1) AS integer), CAST('2024-02-29' AS date), CAST('12:30:00' AS time(0)), CAST('x' AS char(3));

SELECT '2024-02-29 10:00:00'::timestamp(0)::date::text
=>
SELECT CAST(CAST(CAST('2024-02-29 10:00:00' AS timestamp(0)) AS date) AS varchar);

SELECT ARRAY['1', '2']::int[], ARRAY[ARRAY[1]]::varchar[][]
=>
SELECT CAST(ARRAY['1', '2'] AS array(int)), CAST(ARRAY[ARRAY[1]] AS array(array(varchar)));

SELECT 5::text, 1::bool, '1'::int8, 2::float8, '1.50'::numeric(5,2), 'true'::boolean
=>
SELECT CAST(5 AS varchar), CAST(1 AS boolean), CAST('1' AS bigint), CAST(2 AS double), CAST('1.50' AS decimal(5,2)), CAST('true' AS boolean);

SELECT CAST(orderdate::varchar AS varchar) AS d FROM orders WHERE orderkey::varchar = '1'
=>
SELECT CAST(CAST(orderdate AS varchar) AS varchar) AS d FROM orders WHERE CAST(orderkey AS varchar) = '1';

SELECT sum(totalprice)::bigint AS total, count(*) FILTER (WHERE totalprice > 100000)::integer AS n FROM orders WHERE orderkey < 10
=>
SELECT CAST(sum(totalprice) AS bigint) AS total, CAST(count(*) FILTER (WHERE totalprice > 100000) AS integer) AS n FROM orders WHERE orderkey < 10;

SELECT name FROM nation WHERE name ILIKE 'uni%' ORDER BY name
=>
SELECT name FROM nation WHERE lower(name) LIKE lower('uni%') ORDER BY name;

SELECT name FROM nation WHERE name NOT ILIKE '%a%' ORDER BY name
=>
SELECT name FROM nation WHERE lower(name) NOT LIKE lower('%a%') ORDER BY name;

SELECT name ILIKE 'a%' AS a FROM region ORDER BY name
=>
SELECT lower(name) LIKE lower('a%') AS a FROM region ORDER BY name;

SELECT 'a_B' ILIKE 'A!_b' ESCAPE '!', 'x'::varchar ILIKE 'X'::varchar
=>
SELECT lower('a_B') LIKE lower('A!_b') ESCAPE '!', lower(CAST('x' AS varchar)) LIKE lower(CAST('X' AS varchar));

SELECT 'ilike', name AS ilike FROM region WHERE name ILIKE '%ilike%' OR name = 'ASIA'
=>
SELECT 'ilike', name AS ilike FROM region WHERE lower(name) LIKE lower('%ilike%') OR name = 'ASIA';

SELECT name, regionkey, FROM region ORDER BY name,
=>
SELECT name, regionkey FROM region ORDER BY name;

SELECT regionkey, count(*), FROM nation GROUP BY regionkey, ORDER BY regionkey
=>
SELECT regionkey, count(*) FROM nation GROUP BY regionkey ORDER BY regionkey;

SELECT name FROM nation WHERE nationkey IN (1, 2, 3,) ORDER BY name
=>
SELECT name FROM nation WHERE nationkey IN (1, 2, 3) ORDER BY name;

SELECT ARRAY[1, 2, 3,]
=>
SELECT ARRAY[1, 2, 3];

WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS x), SELECT * FROM a UNION ALL SELECT * FROM b ORDER BY x
=>
WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS x) SELECT * FROM a UNION ALL SELECT * FROM b ORDER BY x;

SELECT * EXCLUDE (comment) FROM region ORDER BY regionkey
=>
SELECT regionkey, name FROM region ORDER BY regionkey;

SELECT * EXCLUDE comment FROM region ORDER BY 1
=>
SELECT regionkey, name FROM region ORDER BY 1;

SELECT * EXCLUDE (Comment, "name") FROM region ORDER BY 1
=>
SELECT regionkey FROM region ORDER BY 1;

SELECT * REPLACE (lower(name) AS name) FROM region ORDER BY regionkey
=>
SELECT regionkey, lower(name) AS name, comment FROM region ORDER BY regionkey;

SELECT * EXCLUDE (comment) REPLACE (regionkey::varchar AS regionkey) FROM region ORDER BY name
=>
SELECT CAST(regionkey AS varchar) AS regionkey, name FROM region ORDER BY name;

SELECT n.* EXCLUDE (comment), r.name AS region FROM nation n JOIN region r USING (regionkey) ORDER BY nationkey LIMIT 3
=>
SELECT n.nationkey, n.name, r.name AS region FROM nation n JOIN region r USING (regionkey) ORDER BY nationkey LIMIT 3;

SELECT * EXCLUDE (comment) FROM nation n JOIN region r ON n.regionkey = r.regionkey ORDER BY nationkey LIMIT 3
=>
SELECT n.nationkey, n.name, n.regionkey, r.regionkey, r.name FROM nation n JOIN region r ON n.regionkey = r.regionkey ORDER BY nationkey LIMIT 3;

SELECT * EXCLUDE (n.comment, r.regionkey, r.comment) FROM nation AS n JOIN region AS r ON n.regionkey = r.regionkey ORDER BY nationkey LIMIT 3
=>
SELECT n.nationkey, n.name, n.regionkey, r.name FROM nation AS n JOIN region AS r ON n.regionkey = r.regionkey ORDER BY nationkey LIMIT 3;

SELECT * EXCLUDE (comment) FROM nation JOIN region USING (regionkey) ORDER BY nationkey LIMIT 3
=>
SELECT regionkey, nation.nationkey, nation.name, region.name FROM nation JOIN region USING (regionkey) ORDER BY nationkey LIMIT 3;

SELECT * EXCLUDE (b) FROM (VALUES (1, 2, 3), (4, 5, 6)) AS t (a, b, "c d") ORDER BY a
=>
SELECT a, "c d" FROM (VALUES (1, 2, 3), (4, 5, 6)) AS t (a, b, "c d") ORDER BY a;

SELECT upper(x.name) AS u FROM (SELECT * EXCLUDE (comment) FROM region) x ORDER BY u
=>
SELECT upper(x.name) AS u FROM (SELECT regionkey, name FROM region) x ORDER BY u;

WITH r AS (SELECT * EXCLUDE (comment) FROM region), s AS (SELECT * EXCLUDE (regionkey) FROM r) FROM s ORDER BY name
=>
WITH r AS (SELECT regionkey, name FROM region), s AS (SELECT name FROM r) SELECT * FROM s ORDER BY name;

SELECT COLUMNS('key$') FROM nation ORDER BY 1 LIMIT 3
=>
SELECT nationkey, regionkey FROM nation ORDER BY 1 LIMIT 3;

SELECT COLUMNS('^(name|comment)$') FROM region ORDER BY 1
=>
SELECT name, comment FROM region ORDER BY 1;

SELECT min(COLUMNS('key')), max(COLUMNS('key')) AS biggest FROM nation
=>
SELECT min(nationkey) AS nationkey, min(regionkey) AS regionkey, max(nationkey) AS biggest, max(regionkey) AS biggest FROM nation;

SELECT count(COLUMNS(*)) FROM region
=>
SELECT count(regionkey) AS regionkey, count(name) AS name, count(comment) AS comment FROM region;

SELECT regionkey, count(*) AS n FROM nation GROUP BY ALL ORDER BY regionkey
=>
SELECT regionkey, count(*) AS n FROM nation GROUP BY 1 ORDER BY regionkey;

SELECT upper(r.name) AS region, n.regionkey + 1 AS k, count(*) AS n, max(n.name) FROM nation n JOIN region r ON r.regionkey = n.regionkey GROUP BY ALL ORDER BY ALL DESC
=>
SELECT upper(r.name) AS region, n.regionkey + 1 AS k, count(*) AS n, max(n.name) FROM nation n JOIN region r ON r.regionkey = n.regionkey GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC, 3 DESC, 4 DESC;

SELECT count(*), sum(nationkey) FROM nation GROUP BY ALL
=>
SELECT count(*), sum(nationkey) FROM nation GROUP BY ();

SELECT DISTINCT regionkey FROM nation GROUP BY ALL ORDER BY ALL
=>
SELECT DISTINCT regionkey FROM nation GROUP BY 1 ORDER BY 1;

SELECT *, count(*) AS n FROM region GROUP BY ALL ORDER BY regionkey
=>
SELECT *, count(*) AS n FROM region GROUP BY 1, 2, 3 ORDER BY regionkey;

SELECT regionkey, count(*) AS n FROM nation GROUP BY ALL HAVING n > 4 ORDER BY ALL LIMIT 3
=>
SELECT regionkey, count(*) AS n FROM nation GROUP BY 1 HAVING count(*) > 4 ORDER BY 1, 2 LIMIT 3;

SELECT name, regionkey FROM region ORDER BY ALL DESC NULLS LAST
=>
SELECT name, regionkey FROM region ORDER BY 1 DESC NULLS LAST, 2 DESC NULLS LAST;

SELECT regionkey FROM region UNION SELECT nationkey FROM nation ORDER BY ALL LIMIT 4
=>
SELECT regionkey FROM region UNION SELECT nationkey FROM nation ORDER BY 1 LIMIT 4;

VALUES (2, 'b'), (1, 'a') ORDER BY ALL
=>
VALUES (2, 'b'), (1, 'a') ORDER BY 1, 2;

SELECT nationkey * 2 AS double_key FROM nation WHERE double_key > 40 ORDER BY double_key
=>
SELECT nationkey * 2 AS double_key FROM nation WHERE (nationkey * 2) > 40 ORDER BY double_key;

SELECT lower(name) AS small FROM region WHERE small LIKE 'a%' AND length(small) > 4 ORDER BY small
=>
SELECT lower(name) AS small FROM region WHERE lower(name) LIKE 'a%' AND length(lower(name)) > 4 ORDER BY small;

SELECT substr(name, 1, 1) AS letter, count(*) AS n FROM nation GROUP BY letter HAVING n > 1 AND letter < 'J' ORDER BY letter
=>
SELECT substr(name, 1, 1) AS letter, count(*) AS n FROM nation GROUP BY 1 HAVING count(*) > 1 AND substr(name, 1, 1) < 'J' ORDER BY letter;

SELECT year(orderdate) AS y, orderstatus AS s, count(*) AS n FROM orders GROUP BY y, s ORDER BY y, s
=>
SELECT year(orderdate) AS y, orderstatus AS s, count(*) AS n FROM orders GROUP BY 1, 2 ORDER BY y, s;

SELECT *, nationkey + 1 AS next FROM nation WHERE next < 4 ORDER BY nationkey
=>
SELECT *, nationkey + 1 AS next FROM nation WHERE (nationkey + 1) < 4 ORDER BY nationkey;

SELECT nationkey AS k FROM nation WHERE k IN (1, 2) AND k::varchar = '1'
=>
SELECT nationkey AS k FROM nation WHERE nationkey IN (1, 2) AND CAST(nationkey AS varchar) = '1';

SUMMARIZE region
=>
SELECT column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage FROM (SELECT ARRAY[CAST(min(c1) AS varchar), CAST(min(c2) AS varchar), CAST(min(c3) AS varchar)] AS s1, ARRAY[CAST(max(c1) AS varchar), CAST(max(c2) AS varchar), CAST(max(c3) AS varchar)] AS s2, ARRAY[approx_distinct(c1), approx_distinct(c2), approx_distinct(c3)] AS s3, ARRAY[avg(CAST(c1 AS double)), CAST(NULL AS double), CAST(NULL AS double)] AS s4, ARRAY[stddev(CAST(c1 AS double)), CAST(NULL AS double), CAST(NULL AS double)] AS s5, ARRAY[approx_percentile(CAST(c1 AS double), 0.25), CAST(NULL AS double), CAST(NULL AS double)] AS s6, ARRAY[approx_percentile(CAST(c1 AS double), 0.5), CAST(NULL AS double), CAST(NULL AS double)] AS s7, ARRAY[approx_percentile(CAST(c1 AS double), 0.75), CAST(NULL AS double), CAST(NULL AS double)] AS s8, ARRAY[count(*), count(*), count(*)] AS s9, ARRAY[CAST(100.00 * (count(*) - count(c1)) / nullif(count(*), 0) AS decimal(5,2)), CAST(100.00 * (count(*) - count(c2)) / nullif(count(*), 0) AS decimal(5,2)), CAST(100.00 * (count(*) - count(c3)) / nullif(count(*), 0) AS decimal(5,2))] AS s10 FROM region AS summarized (c1, c2, c3)) AS computed CROSS JOIN UNNEST(ARRAY['regionkey', 'name', 'comment'], ARRAY['bigint', 'varchar(25)', 'varchar(152)'], s1, s2, s3, s4, s5, s6, s7, s8, s9, s10) WITH ORDINALITY AS summary (column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage, place) ORDER BY place;

SUMMARIZE SELECT nationkey, name, nationkey > 10 AS big, ARRAY[1] AS list FROM nation
=>
SELECT column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage FROM (SELECT ARRAY[CAST(min(c1) AS varchar), CAST(min(c2) AS varchar), CAST(min(c3) AS varchar), CAST(NULL AS varchar)] AS s1, ARRAY[CAST(max(c1) AS varchar), CAST(max(c2) AS varchar), CAST(max(c3) AS varchar), CAST(NULL AS varchar)] AS s2, ARRAY[approx_distinct(c1), approx_distinct(c2), approx_distinct(c3), CAST(NULL AS bigint)] AS s3, ARRAY[avg(CAST(c1 AS double)), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS double)] AS s4, ARRAY[stddev(CAST(c1 AS double)), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS double)] AS s5, ARRAY[approx_percentile(CAST(c1 AS double), 0.25), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS double)] AS s6, ARRAY[approx_percentile(CAST(c1 AS double), 0.5), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS double)] AS s7, ARRAY[approx_percentile(CAST(c1 AS double), 0.75), CAST(NULL AS double), CAST(NULL AS double), CAST(NULL AS double)] AS s8, ARRAY[count(*), count(*), count(*), count(*)] AS s9, ARRAY[CAST(100.00 * (count(*) - count(c1)) / nullif(count(*), 0) AS decimal(5,2)), CAST(100.00 * (count(*) - count(c2)) / nullif(count(*), 0) AS decimal(5,2)), CAST(100.00 * (count(*) - count(c3)) / nullif(count(*), 0) AS decimal(5,2)), CAST(100.00 * (count(*) - count(c4)) / nullif(count(*), 0) AS decimal(5,2))] AS s10 FROM (SELECT nationkey, name, nationkey > 10 AS big, ARRAY[1] AS list FROM nation) AS summarized (c1, c2, c3, c4)) AS computed CROSS JOIN UNNEST(ARRAY['nationkey', 'name', 'big', 'list'], ARRAY['bigint', 'varchar(25)', 'boolean', 'array(integer)'], s1, s2, s3, s4, s5, s6, s7, s8, s9, s10) WITH ORDINALITY AS summary (column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage, place) ORDER BY place;

SUMMARIZE FROM nation SELECT regionkey
=>
SELECT column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage FROM (SELECT ARRAY[CAST(min(c1) AS varchar)] AS s1, ARRAY[CAST(max(c1) AS varchar)] AS s2, ARRAY[approx_distinct(c1)] AS s3, ARRAY[avg(CAST(c1 AS double))] AS s4, ARRAY[stddev(CAST(c1 AS double))] AS s5, ARRAY[approx_percentile(CAST(c1 AS double), 0.25)] AS s6, ARRAY[approx_percentile(CAST(c1 AS double), 0.5)] AS s7, ARRAY[approx_percentile(CAST(c1 AS double), 0.75)] AS s8, ARRAY[count(*)] AS s9, ARRAY[CAST(100.00 * (count(*) - count(c1)) / nullif(count(*), 0) AS decimal(5,2))] AS s10 FROM (SELECT regionkey FROM nation) AS summarized (c1)) AS computed CROSS JOIN UNNEST(ARRAY['regionkey'], ARRAY['bigint'], s1, s2, s3, s4, s5, s6, s7, s8, s9, s10) WITH ORDINALITY AS summary (column_name, column_type, "min", "max", approx_unique, "avg", "std", q25, q50, q75, "count", null_percentage, place) ORDER BY place;

DESCRIBE SELECT nationkey, name AS "a b", 1.5 AS d FROM nation
=>
SELECT * FROM (VALUES ('nationkey', 'bigint', '', ''), ('a b', 'varchar(25)', '', ''), ('d', 'decimal(2,1)', '', '')) AS described ("Column", "Type", "Extra", "Comment");

DESCRIBE FROM region
=>
SELECT * FROM (VALUES ('regionkey', 'bigint', '', ''), ('name', 'varchar(25)', '', ''), ('comment', 'varchar(152)', '', '')) AS described ("Column", "Type", "Extra", "Comment");

DESCRIBE (VALUES (1, 'x'))
=>
SELECT * FROM (VALUES ('_col0', 'integer', '', ''), ('_col1', 'varchar(1)', '', '')) AS described ("Column", "Type", "Extra", "Comment");

EXPLAIN (TYPE VALIDATE) FROM region
=>
EXPLAIN (TYPE VALIDATE) SELECT * FROM region;

FROM nation AS n, region AS r SELECT n.name, r.name AS region WHERE n.regionkey = r.regionkey AND n.nationkey::varchar ILIKE '2%' ORDER BY ALL,
=>
SELECT n.name, r.name AS region FROM nation AS n, region AS r WHERE n.regionkey = r.regionkey AND lower(CAST(n.nationkey AS varchar)) LIKE lower('2%') ORDER BY 1, 2;

