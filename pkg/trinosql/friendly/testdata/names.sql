SELECT * EXCLUDE ("SELECT") FROM odd
=>
SELECT "all", "a ""b""", x FROM odd;

SELECT COLUMNS('^a') FROM odd
=>
SELECT "all", "a ""b""" FROM odd;

SELECT max(COLUMNS('b')) FROM odd
=>
SELECT max("a ""b""") AS "a ""b""" FROM odd;

SELECT * REPLACE (1 AS "A ""B""") FROM odd
=>
SELECT "all", 1 AS "A ""B""", "select", x FROM odd;

SELECT "x" AS Total FROM odd WHERE TOTAL > 1
=>
SELECT "x" AS Total FROM odd WHERE "x" > 1;

FROM tpch.tiny.region SELECT region.* EXCLUDE comment
=>
SELECT region.regionkey, region.name FROM tpch.tiny.region;

FROM region WHERE name = 'FROM x SELECT y::int, '
=>
SELECT * FROM region WHERE name = 'FROM x SELECT y::int, ';

SELECT name, -- EXCLUDE (x),
FROM region /* LIMIT 1 OFFSET 2 */
=>
SELECT name -- EXCLUDE (x),
FROM region /* LIMIT 1 OFFSET 2 */;

SELECT random() AS r, x + 1 AS y FROM odd WHERE y > 1 GROUP BY (r, y)
=>
SELECT random() AS r, x + 1 AS y FROM odd WHERE (x + 1) > 1 GROUP BY (1, 2);

SELECT count(*) FILTER (x > 1), sum(x) FILTER (x::int = 2) FROM odd
=>
SELECT count(*) FILTER (WHERE x > 1), sum(x) FILTER (WHERE CAST(x AS int) = 2) FROM odd;

SELECT odd.select, odd.ALL, odd.Select FROM tpch.tiny.odd
=>
SELECT odd."select", odd.ALL, odd."Select" FROM tpch.tiny.odd;

FROM odd SELECT odd.select::varchar AS s, max(odd.select::varchar ILIKE 'a') GROUP BY 1,
=>
SELECT CAST(odd."select" AS varchar) AS s, max(lower(CAST(odd."select" AS varchar)) LIKE lower('a')) FROM odd GROUP BY 1;
