-- Queries in the manner of TPC-DS over the tables of TPC-H: CTEs, rollups, windows, set operations, correlated subqueries.
WITH year_total AS (
  SELECT c.custkey, c.name, year(o.orderdate) AS y, round(sum(o.totalprice), 2) AS total FROM customer c JOIN orders o ON c.custkey = o.custkey GROUP BY c.custkey, c.name, year(o.orderdate))
SELECT a.custkey, a.name, a.total AS first_total, b.total AS second_total FROM year_total a JOIN year_total b ON a.custkey = b.custkey AND b.y = a.y + 1
WHERE a.y = 1995 AND a.total > 0 AND b.total / a.total > 10 ORDER BY a.custkey LIMIT 20;
SELECT r.name AS region, n.name AS nation, count(*) AS customers, grouping(r.name, n.name) AS g FROM customer c JOIN nation n USING (nationkey) JOIN region r USING (regionkey)
WHERE r.name IN ('ASIA', 'EUROPE') GROUP BY ROLLUP (r.name, n.name) ORDER BY r.name NULLS LAST, n.name NULLS LAST;
SELECT orderstatus, orderpriority, count(*) AS n, round(avg(totalprice), 2) AS average FROM orders GROUP BY CUBE (orderstatus, orderpriority)
ORDER BY orderstatus NULLS FIRST, orderpriority NULLS FIRST;
SELECT mktsegment, k, count(*) FROM (SELECT mktsegment, nationkey % 5 AS k FROM customer) t GROUP BY GROUPING SETS ((mktsegment), (k), ()) ORDER BY 1 NULLS LAST, 2 NULLS LAST;
SELECT * FROM (SELECT n.name AS nation, c.name AS customer, c.acctbal, rank() OVER (PARTITION BY n.nationkey ORDER BY c.acctbal DESC) AS r
  FROM customer c JOIN nation n ON c.nationkey = n.nationkey) t WHERE r <= 1 ORDER BY acctbal DESC, nation LIMIT 25;
SELECT year(orderdate) AS y, month(orderdate) AS m, count(*) AS n, sum(count(*)) OVER (PARTITION BY year(orderdate) ORDER BY month(orderdate)) AS so_far,
  count(*) - lag(count(*)) OVER (ORDER BY year(orderdate), month(orderdate)) AS change
FROM orders WHERE orderdate < DATE '1994-01-01' GROUP BY year(orderdate), month(orderdate) ORDER BY y, m LIMIT 24;
SELECT orderkey FROM orders WHERE orderpriority = '1-URGENT' INTERSECT SELECT orderkey FROM lineitem WHERE quantity = 50 EXCEPT SELECT orderkey FROM lineitem WHERE returnflag = 'R' ORDER BY 1 LIMIT 20;
SELECT count(*) FROM (SELECT custkey FROM orders WHERE orderstatus = 'O' INTERSECT ALL SELECT custkey FROM orders WHERE orderstatus = 'F') t;
SELECT count(*), sum(custkey) FROM (SELECT custkey FROM orders WHERE orderstatus = 'O' EXCEPT ALL SELECT custkey FROM orders WHERE orderstatus = 'F') t;
SELECT c.name, (SELECT count(*) FROM orders o WHERE o.custkey = c.custkey AND o.totalprice > 200000) AS large, (SELECT max(o.orderdate) FROM orders o WHERE o.custkey = c.custkey) AS last_order
FROM customer c WHERE c.nationkey = 3 AND c.acctbal > 8000 ORDER BY c.name LIMIT 20;
SELECT o.orderkey, o.totalprice FROM orders o WHERE o.totalprice > (SELECT 2.5 * avg(i.totalprice) FROM orders i WHERE i.custkey = o.custkey) ORDER BY o.orderkey LIMIT 25;
SELECT n.name FROM nation n WHERE NOT EXISTS (SELECT 1 FROM supplier s WHERE s.nationkey = n.nationkey AND s.acctbal < 0) ORDER BY 1;
SELECT n.name, count(s.suppkey) AS suppliers, coalesce(round(sum(s.acctbal), 2), 0) AS balance FROM nation n LEFT JOIN supplier s ON s.nationkey = n.nationkey AND s.acctbal > 5000 GROUP BY n.name ORDER BY suppliers DESC, n.name;
SELECT coalesce(a.k, b.k) AS k, a.n AS small, b.n AS large FROM (SELECT size AS k, count(*) AS n FROM part WHERE retailprice < 950 GROUP BY size) a
FULL JOIN (SELECT size AS k, count(*) AS n FROM part WHERE retailprice > 1850 GROUP BY size) b ON a.k = b.k ORDER BY 1 LIMIT 30;
WITH RECURSIVE months (m) AS (SELECT DATE '1995-01-01' UNION ALL SELECT m + INTERVAL '1' MONTH FROM months WHERE m < DATE '1995-09-01')
SELECT m, count(orderkey) AS orders FROM months LEFT JOIN orders ON orderdate >= m AND orderdate < m + INTERVAL '1' MONTH GROUP BY m ORDER BY m;
SELECT brand, approx_distinct(type) > 0 AS some, count(DISTINCT type) AS types, min(retailprice) AS lowest, max_by(name, retailprice) AS dearest FROM part GROUP BY brand ORDER BY brand LIMIT 25;
SELECT shipmode, count(*) FILTER (WHERE returnflag = 'R') AS returned, count(*) FILTER (WHERE returnflag = 'A') AS accepted, count_if(discount > 0.05) AS cheap FROM lineitem GROUP BY shipmode ORDER BY shipmode;
SELECT custkey, array_agg(orderkey ORDER BY orderkey) AS orders, cardinality(array_agg(DISTINCT orderstatus)) AS states FROM orders WHERE custkey < 20 GROUP BY custkey ORDER BY custkey;
SELECT k, v FROM (SELECT histogram(orderstatus) AS h FROM orders) t CROSS JOIN UNNEST(h) AS u (k, v) ORDER BY k;
SELECT t.ordinal, t.word, count(*) AS n FROM part CROSS JOIN UNNEST(split(name, ' ')) WITH ORDINALITY AS t (word, ordinal) GROUP BY t.ordinal, t.word ORDER BY n DESC, t.word, t.ordinal LIMIT 20;
SELECT quarter, segment, n, round(100.0 * n / sum(n) OVER (PARTITION BY quarter), 2) AS share
FROM (SELECT quarter(o.orderdate) AS quarter, c.mktsegment AS segment, count(*) AS n FROM orders o JOIN customer c USING (custkey) GROUP BY 1, 2) t ORDER BY quarter, segment;
SELECT orderkey, linenumber, quantity, sum(quantity) OVER w AS running, avg(quantity) OVER (PARTITION BY orderkey ORDER BY linenumber ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS around,
  first_value(quantity) OVER w AS first, last_value(quantity) OVER w AS last, ntile(2) OVER w AS half
FROM lineitem WHERE orderkey < 8 WINDOW w AS (PARTITION BY orderkey ORDER BY linenumber) ORDER BY orderkey, linenumber;
SELECT ntile, count(*), min(acctbal), max(acctbal) FROM (SELECT acctbal, ntile(10) OVER (ORDER BY acctbal, custkey) AS ntile FROM customer) t GROUP BY ntile ORDER BY ntile;
SELECT d, cust, round(cume, 6) AS cume, round(pct, 6) AS pct, dense FROM (SELECT orderdate AS d, custkey AS cust, cume_dist() OVER (ORDER BY orderdate) AS cume, percent_rank() OVER (ORDER BY orderdate) AS pct,
  dense_rank() OVER (ORDER BY orderdate) AS dense FROM orders WHERE custkey BETWEEN 1 AND 3) t ORDER BY d, cust LIMIT 30;
SELECT 'orders' AS what, count(*) AS n FROM orders UNION ALL SELECT 'lines', count(*) FROM lineitem UNION ALL SELECT 'parts', count(*) FROM part ORDER BY n DESC;
SELECT CASE WHEN totalprice < 50000 THEN 'small' WHEN totalprice < 200000 THEN 'medium' ELSE 'large' END AS class, orderstatus, count(*) AS n, sum(CAST(totalprice AS decimal(12,2))) AS total
FROM orders GROUP BY 1, orderstatus HAVING count(*) > 10 ORDER BY 1, 2;
SELECT date_trunc('year', orderdate) AS y, count(*) AS n, count(DISTINCT custkey) AS customers, date_diff('day', min(orderdate), max(orderdate)) AS days FROM orders GROUP BY date_trunc('year', orderdate) ORDER BY y;
SELECT s.suppkey, l.orderkey, l.price FROM supplier s CROSS JOIN LATERAL (SELECT orderkey, extendedprice AS price FROM lineitem WHERE suppkey = s.suppkey ORDER BY extendedprice DESC, orderkey LIMIT 2) l WHERE s.suppkey <= 5 ORDER BY 1, 3 DESC, 2;
SELECT a.name, b.name FROM nation a JOIN nation b ON a.regionkey = b.regionkey AND a.nationkey < b.nationkey WHERE a.name LIKE '%A' ORDER BY 1, 2 LIMIT 30;
SELECT custkey, orderdate, totalprice FROM (SELECT *, row_number() OVER (PARTITION BY custkey ORDER BY orderdate DESC, orderkey) AS rn FROM orders) t WHERE rn = 1 AND custkey < 30 ORDER BY custkey;
SELECT l.shipmode, max(date_diff('day', l.shipdate, l.receiptdate)) AS slowest, approx_percentile(date_diff('day', l.shipdate, l.receiptdate), 0.5) BETWEEN 14 AND 17 AS typical FROM lineitem l GROUP BY l.shipmode ORDER BY 1;
SELECT substr(phone, 1, 2) AS code, listagg(name, ', ') WITHIN GROUP (ORDER BY name) AS suppliers FROM supplier GROUP BY 1 ORDER BY 1 LIMIT 20;
SELECT * FROM nation WHERE regionkey = ALL (SELECT regionkey FROM region WHERE name = 'ASIA') AND name > ANY (SELECT name FROM nation WHERE regionkey = 1) ORDER BY nationkey;
SELECT (nationkey, name) IN (SELECT nationkey, name FROM nation WHERE regionkey = 2) AS asian, count(*) FROM nation GROUP BY 1 ORDER BY 1;
SELECT DISTINCT mfgr, substr(brand, 7, 1) AS digit FROM part ORDER BY mfgr DESC, digit OFFSET 3 LIMIT 10;
SELECT name, size FROM part ORDER BY size DESC, name FETCH FIRST 5 ROWS ONLY;
SELECT size FROM part WHERE partkey <= 100 ORDER BY size DESC FETCH FIRST 3 ROWS WITH TIES;
SELECT c.custkey, sum(l.quantity) AS q FROM customer c JOIN orders o ON o.custkey = c.custkey JOIN lineitem l ON l.orderkey = o.orderkey WHERE c.mktsegment = 'MACHINERY' AND year(l.shipdate) = 1997
GROUP BY c.custkey HAVING sum(l.quantity) > (SELECT 3 * avg(q) FROM (SELECT sum(quantity) AS q FROM lineitem WHERE year(shipdate) = 1997 GROUP BY orderkey) t) ORDER BY q DESC, 1 LIMIT 20;
