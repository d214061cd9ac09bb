FROM region
SELECT * EXCLUDE (nam)
=>
line 2:19: EXCLUDE: there is no column nam;

SELECT b AS a, a AS b FROM region WHERE a > 1
=>
line 1:8: b stands for a name that stands for it;

SELECT * REPLACE (1 AS x) FROM region
=>
line 1:24: REPLACE: there is no column x;

SELECT * EXCLUDE (name) REPLACE ('' AS name) FROM region
=>
line 1:40: column name is excluded or replaced already;

SELECT * EXCLUDE (regionkey, name, comment) FROM region
=>
line 1:10: EXCLUDE leaves no column;

SELECT COLUMNS('x$') FROM region
=>
line 1:8: COLUMNS: no column matches 'x$';

SELECT COLUMNS('(') FROM region
=>
line 1:16: COLUMNS: error parsing regexp: missing closing ): `(`;

SELECT name FROM region WHERE COLUMNS('a') = 'x'
=>
line 1:31: COLUMNS stands in a select list only;

SELECT COLUMNS('a') || COLUMNS('b') FROM region
=>
line 1:24: COLUMNS with several patterns in one expression;

SELECT * EXCLUDE (x)
=>
line 1:8: SELECT * not allowed in queries without FROM clause;

FROM region SELECT name::numeric
=>
line 1:26: numeric needs its digits, such as decimal(18,2): without them Trino rounds to whole numbers;

FROM region WHERE name ILIKE 'x' ESCAPE 'e'
=>
line 1:41: the escape character of ILIKE is a text that is no letter;

SELECT nationkey + ? AS n FROM nation WHERE n > 1
=>
line 1:45: the column n of the select list has a parameter, and cannot be named here;

SELECT 10 * random() AS n FROM region WHERE n > 5
=>
line 1:45: the column n of the select list cannot be named here: random gives another value each time;

SELECT uuid() AS n, count(*) FROM region GROUP BY n HAVING n IS NOT NULL
=>
line 1:60: the column n of the select list cannot be named here: uuid gives another value each time;

SELECT 1 AS n, 2 AS n FROM region WHERE n = 1
=>
line 1:41: several columns of the select list are named n;

SELECT * EXCLUDE (a) FROM (SELECT 1 AS a, 2 AS b, 3 AS b)
=>
line 1:8: several columns are named b, and nothing tells them apart: name the columns, or give the tables aliases;

FROM region SELECT name WHERE name = 'a' AND
=>
line 1:45: mismatched input '<EOF>'. Expecting: <expression>;

FROM region SELECT coalesce(name,)
=>
line 1:34: mismatched input ')'. Expecting: <expression>;

FROM regio SELECT * EXCLUDE (name)
=>
line 1:6: Table 'tpch.tiny.regio' does not exist;

WITH "ä" AS (SELECT 1 AS x)
FROM (FROM "ä" SELECT y::int), regio
SELECT * EXCLUDE (a)
=>
line 2:23: Column 'y' cannot be resolved;
