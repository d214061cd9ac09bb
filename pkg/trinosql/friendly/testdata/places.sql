FROM nation SELECT name, ^x::int WHERE regionkey = 1
=>
Column 'x' cannot be resolved;

FROM nation
WHERE name::varchar ^= 5
=>
Cannot apply operator: varchar = integer;

SELECT name, comment ILIKE ^5, FROM region
=>
;

SELECT upper(name) AS u, nationkey::varchar AS k FROM nation WHERE k ^+ 1 = 2
=>
;

FROM (SELECT * EXCLUDE (name) FROM region) SELECT ^name
=>
Column 'name' cannot be resolved;

SELECT name, sum(nationkey) AS s FROM nation WHERE s ^> 1
=>
;

SELECT * REPLACE (^nam || 'ä' AS name) FROM region
=>
Column 'nam' cannot be resolved;

SELECT regionkey, count(*), ^nam FROM nation GROUP BY ALL ORDER BY ALL LIMIT 3
=>
Column 'nam' cannot be resolved;

SELECT odd.select, ^nosuch FROM odd
=>
Column 'nosuch' cannot be resolved;

FROM ^tpch.table.odd
=>
;
