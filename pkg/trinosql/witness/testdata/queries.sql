-- The queries of TPC-H, and queries such as people write.
SELECT returnflag, linestatus, sum(quantity) AS sum_qty, sum(extendedprice) AS sum_base_price, sum(extendedprice * (1 - discount)) AS sum_disc_price,
  sum(extendedprice * (1 - discount) * (1 + tax)) AS sum_charge, avg(quantity) AS avg_qty, avg(extendedprice) AS avg_price, avg(discount) AS avg_disc, count(*) AS count_order
FROM lineitem WHERE shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP BY returnflag, linestatus ORDER BY returnflag, linestatus;
SELECT s.acctbal, s.name, n.name, p.partkey, p.mfgr, s.address, s.phone, s.comment
FROM part p, supplier s, partsupp ps, nation n, region r
WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND p.size = 15 AND p.type LIKE '%BRASS' AND s.nationkey = n.nationkey AND n.regionkey = r.regionkey AND r.name = 'EUROPE'
  AND ps.supplycost = (SELECT min(ps.supplycost) FROM partsupp ps, supplier s, nation n, region r WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND s.nationkey = n.nationkey AND n.regionkey = r.regionkey AND r.name = 'EUROPE')
ORDER BY s.acctbal DESC, n.name, s.name, p.partkey LIMIT 100;
SELECT l.orderkey, sum(l.extendedprice * (1 - l.discount)) AS revenue, o.orderdate, o.shippriority
FROM customer AS c, orders AS o, lineitem AS l
WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate < DATE '1995-03-15' AND l.shipdate > DATE '1995-03-15'
GROUP BY l.orderkey, o.orderdate, o.shippriority ORDER BY revenue DESC, o.orderdate LIMIT 10;
SELECT o.orderpriority, count(*) AS order_count FROM orders o
WHERE o.orderdate >= DATE '1993-07-01' AND o.orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem l WHERE l.orderkey = o.orderkey AND l.commitdate < l.receiptdate)
GROUP BY o.orderpriority ORDER BY o.orderpriority;
SELECT n.name, sum(l.extendedprice * (1 - l.discount)) AS revenue
FROM customer c JOIN orders o ON c.custkey = o.custkey JOIN lineitem l ON l.orderkey = o.orderkey JOIN supplier s ON l.suppkey = s.suppkey AND c.nationkey = s.nationkey JOIN nation n ON s.nationkey = n.nationkey JOIN region r ON n.regionkey = r.regionkey
WHERE r.name = 'ASIA' AND o.orderdate >= DATE '1994-01-01' AND o.orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR GROUP BY n.name ORDER BY revenue DESC;
SELECT sum(extendedprice * discount) AS revenue FROM lineitem WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR AND discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND quantity < 24;
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM (SELECT n1.name AS supp_nation, n2.name AS cust_nation, EXTRACT(YEAR FROM l.shipdate) AS l_year, l.extendedprice * (1 - l.discount) AS volume
  FROM supplier s, lineitem l, orders o, customer c, nation n1, nation n2
  WHERE s.suppkey = l.suppkey AND o.orderkey = l.orderkey AND c.custkey = o.custkey AND s.nationkey = n1.nationkey AND c.nationkey = n2.nationkey
    AND ((n1.name = 'FRANCE' AND n2.name = 'GERMANY') OR (n1.name = 'GERMANY' AND n2.name = 'FRANCE')) AND l.shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31') AS shipping
GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year;
SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
FROM (SELECT EXTRACT(YEAR FROM o.orderdate) AS o_year, l.extendedprice * (1 - l.discount) AS volume, n2.name AS nation
  FROM part p, supplier s, lineitem l, orders o, customer c, nation n1, nation n2, region r
  WHERE p.partkey = l.partkey AND s.suppkey = l.suppkey AND l.orderkey = o.orderkey AND o.custkey = c.custkey AND c.nationkey = n1.nationkey AND n1.regionkey = r.regionkey AND r.name = 'AMERICA' AND s.nationkey = n2.nationkey
    AND o.orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND p.type = 'ECONOMY ANODIZED STEEL') AS all_nations
GROUP BY o_year ORDER BY o_year;
SELECT nation, o_year, sum(amount) AS sum_profit
FROM (SELECT n.name AS nation, EXTRACT(YEAR FROM o.orderdate) AS o_year, l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity AS amount
  FROM part AS p, supplier AS s, lineitem AS l, partsupp AS ps, orders AS o, nation AS n
  WHERE s.suppkey = l.suppkey AND ps.suppkey = l.suppkey AND ps.partkey = l.partkey AND p.partkey = l.partkey AND o.orderkey = l.orderkey AND s.nationkey = n.nationkey AND p.name LIKE '%green%') AS profit
GROUP BY nation, o_year ORDER BY nation, o_year DESC;
SELECT c.custkey, c.name, sum(l.extendedprice * (1 - l.discount)) AS revenue, c.acctbal, n.name, c.address, c.phone, c.comment
FROM customer c, orders o, lineitem l, nation n
WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate >= DATE '1993-10-01' AND o.orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l.returnflag = 'R' AND c.nationkey = n.nationkey
GROUP BY c.custkey, c.name, c.acctbal, c.phone, n.name, c.address, c.comment ORDER BY revenue DESC LIMIT 20;
SELECT ps.partkey, sum(ps.supplycost * ps.availqty) AS value FROM partsupp ps, supplier s, nation n
WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY' GROUP BY ps.partkey
HAVING sum(ps.supplycost * ps.availqty) > (SELECT sum(ps.supplycost * ps.availqty) * 0.0001 FROM partsupp ps, supplier s, nation n WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY')
ORDER BY value DESC LIMIT 10;
SELECT l.shipmode, sum(CASE WHEN o.orderpriority = '1-URGENT' OR o.orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count, sum(CASE WHEN o.orderpriority <> '1-URGENT' AND o.orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders o, lineitem l WHERE o.orderkey = l.orderkey AND l.shipmode IN ('MAIL', 'SHIP') AND l.commitdate < l.receiptdate AND l.shipdate < l.commitdate AND l.receiptdate >= DATE '1994-01-01' AND l.receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l.shipmode ORDER BY l.shipmode;
SELECT c_count, count(*) AS custdist FROM (SELECT c.custkey, count(o.orderkey) FROM customer c LEFT OUTER JOIN orders o ON c.custkey = o.custkey AND o.comment NOT LIKE '%special%requests%' GROUP BY c.custkey) AS c_orders (c_custkey, c_count)
GROUP BY c_count ORDER BY custdist DESC, c_count DESC;
SELECT 100.00 * sum(CASE WHEN p.type LIKE 'PROMO%' THEN l.extendedprice * (1 - l.discount) ELSE 0 END) / sum(l.extendedprice * (1 - l.discount)) AS promo_revenue FROM lineitem l, part p WHERE l.partkey = p.partkey AND l.shipdate >= DATE '1995-09-01' AND l.shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH;
WITH revenue (supplier_no, total_revenue) AS (SELECT suppkey, sum(extendedprice * (1 - discount)) FROM lineitem WHERE shipdate >= DATE '1996-01-01' AND shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH GROUP BY suppkey)
SELECT s.suppkey, s.name, s.address, s.phone, total_revenue FROM supplier s, revenue WHERE s.suppkey = supplier_no AND total_revenue = (SELECT max(total_revenue) FROM revenue) ORDER BY s.suppkey;
SELECT p.brand, p.type, p.size, count(DISTINCT ps.suppkey) AS supplier_cnt FROM partsupp ps, part p
WHERE p.partkey = ps.partkey AND p.brand <> 'Brand#45' AND p.type NOT LIKE 'MEDIUM POLISHED%' AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9) AND ps.suppkey NOT IN (SELECT s.suppkey FROM supplier s WHERE s.comment LIKE '%Customer%Complaints%')
GROUP BY p.brand, p.type, p.size ORDER BY supplier_cnt DESC, p.brand, p.type, p.size LIMIT 20;
SELECT sum(l.extendedprice) / 7.0 AS avg_yearly FROM lineitem l, part p WHERE p.partkey = l.partkey AND p.brand = 'Brand#23' AND p.container = 'MED BOX' AND l.quantity < (SELECT 0.2 * avg(l.quantity) FROM lineitem l WHERE l.partkey = p.partkey);
SELECT c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, sum(l.quantity) FROM customer c, orders o, lineitem l
WHERE o.orderkey IN (SELECT l.orderkey FROM lineitem l GROUP BY l.orderkey HAVING sum(l.quantity) > 300) AND c.custkey = o.custkey AND o.orderkey = l.orderkey
GROUP BY c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice ORDER BY o.totalprice DESC, o.orderdate LIMIT 100;
SELECT sum(l.extendedprice * (1 - l.discount)) AS revenue FROM lineitem l, part p
WHERE (p.partkey = l.partkey AND p.brand = 'Brand#12' AND p.container IN ('SM CASE', 'SM BOX') AND l.quantity >= 1 AND l.quantity <= 1 + 10 AND p.size BETWEEN 1 AND 5 AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON')
   OR (p.partkey = l.partkey AND p.brand = 'Brand#23' AND l.quantity BETWEEN 10 AND 20 AND p.size BETWEEN 1 AND 10);
SELECT s.name, s.address FROM supplier s, nation n WHERE s.suppkey IN (SELECT ps.suppkey FROM partsupp ps WHERE ps.partkey IN (SELECT p.partkey FROM part p WHERE p.name LIKE 'forest%')
  AND ps.availqty > (SELECT 0.5 * sum(l.quantity) FROM lineitem l WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey AND l.shipdate >= DATE '1994-01-01')) AND s.nationkey = n.nationkey AND n.name = 'CANADA' ORDER BY s.name;
SELECT s.name, count(*) AS numwait FROM supplier s, lineitem l1, orders o, nation n
WHERE s.suppkey = l1.suppkey AND o.orderkey = l1.orderkey AND o.orderstatus = 'F' AND l1.receiptdate > l1.commitdate AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.orderkey = l1.orderkey AND l2.suppkey <> l1.suppkey)
  AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.orderkey = l1.orderkey AND l3.suppkey <> l1.suppkey AND l3.receiptdate > l3.commitdate) AND s.nationkey = n.nationkey AND n.name = 'SAUDI ARABIA' GROUP BY s.name ORDER BY numwait DESC, s.name LIMIT 100;
SELECT cntrycode, count(*) AS numcust, sum(acctbal) AS totacctbal FROM (SELECT substr(c.phone, 1, 2) AS cntrycode, c.acctbal FROM customer c WHERE substr(c.phone, 1, 2) IN ('13', '31', '23') AND c.acctbal > (SELECT avg(c.acctbal) FROM customer c WHERE c.acctbal > 0.00) AND NOT EXISTS (SELECT * FROM orders o WHERE o.custkey = c.custkey)) AS custsale
GROUP BY cntrycode ORDER BY cntrycode;
SELECT date_trunc('month', o.orderdate) AS month, count(*) FROM orders o GROUP BY date_trunc('month', orderdate) ORDER BY 1 LIMIT 3;
SELECT date_trunc('month', o.orderdate) FROM orders o GROUP BY date_trunc('year', o.orderdate);
SELECT date_format(orderdate, '%Y-%m') AS m, sum(totalprice) AS total, sum(sum(totalprice)) OVER (ORDER BY date_format(orderdate, '%Y-%m')) AS running FROM orders GROUP BY 1 ORDER BY 1 LIMIT 3;
SELECT custkey, orderkey FROM (SELECT custkey, orderkey, row_number() OVER (PARTITION BY custkey ORDER BY orderdate DESC, orderkey) AS rn FROM orders) WHERE rn = 1 ORDER BY custkey LIMIT 3;
WITH t AS (SELECT orderstatus, count(*) AS n FROM orders GROUP BY orderstatus) SELECT orderstatus, n, n * 1.0 / sum(n) OVER () AS share, rank() OVER (ORDER BY n DESC) AS r FROM t ORDER BY r;
SELECT year(orderdate) AS y, month(orderdate) AS m, approx_distinct(custkey), max_by(clerk, totalprice) FROM orders WHERE orderdate BETWEEN DATE '1995-01-01' AND DATE '1995-03-31' GROUP BY year(orderdate), month(orderdate) ORDER BY y, m;
SELECT coalesce(r.name, 'none') AS region, count(n.nationkey) AS nations FROM region r FULL JOIN nation n ON n.regionkey = r.regionkey GROUP BY coalesce(r.name, 'none') ORDER BY nations DESC, region;
SELECT n.name, o.* FROM nation n JOIN customer c USING (nationkey) JOIN orders o USING (custkey) WHERE o.totalprice > 1e6;
SELECT a.name, b.name FROM nation a JOIN nation b ON a.regionkey = b.regionkey AND a.nationkey < b.nationkey ORDER BY a.name, b.name LIMIT 2;
SELECT name, CASE WHEN acctbal < 0 THEN 'negative' WHEN acctbal < 1000 THEN 'low' ELSE 'high' END AS class FROM customer ORDER BY custkey LIMIT 2;
SELECT CAST(totalprice AS decimal(12, 2)) AS price, round(totalprice), round(CAST(totalprice AS decimal(12, 2)), 1), CAST(totalprice AS varchar), CAST(orderdate AS varchar), CAST(orderkey AS varchar(5)) FROM orders ORDER BY orderkey LIMIT 2;
SELECT orderdate + INTERVAL '1' MONTH, orderdate - INTERVAL '2' DAY, date_diff('day', orderdate, DATE '1998-01-01'), day_of_week(orderdate), orderdate > TIMESTAMP '1996-01-01 00:00:00' FROM orders ORDER BY orderkey LIMIT 2;
SELECT split(name, ' ')[1], element_at(split(name, ' '), 5), cardinality(split(comment, ' ')), array_join(array_sort(array_distinct(split(name, 'A'))), '|') FROM nation ORDER BY nationkey LIMIT 2;
SELECT regionkey, map_agg(name, nationkey)['FRANCE'] FROM nation WHERE regionkey = 3 GROUP BY regionkey;
SELECT regionkey, array_agg(name ORDER BY name)[1] AS first, listagg(name, ', ') WITHIN GROUP (ORDER BY name) AS names FROM nation GROUP BY regionkey ORDER BY regionkey LIMIT 2;
SELECT json_extract_scalar(JSON '{"a": {"b": 5}}', '$.a.b'), json_format(CAST(MAP(ARRAY['x'], ARRAY[1]) AS json)), CAST(JSON '[1, 2]' AS array(integer)), CAST(JSON '{"a": 1}' AS map(varchar, bigint));
SELECT x, y FROM UNNEST(sequence(1, 3)) t (x) CROSS JOIN UNNEST(ARRAY['a', 'b']) u (y) ORDER BY 1, 2;
SELECT o.orderkey, l.n FROM orders o CROSS JOIN LATERAL (SELECT count(*) AS n FROM lineitem l WHERE l.orderkey = o.orderkey) l ORDER BY 1 LIMIT 2;
SELECT (SELECT name FROM nation WHERE nationkey = c.nationkey) AS nation, count(*) FROM customer c GROUP BY c.nationkey ORDER BY 2 DESC, 1 LIMIT 2;
SELECT name FROM nation n WHERE 2 < (SELECT count(*) FROM customer c WHERE c.nationkey = n.nationkey AND c.acctbal > (SELECT avg(acctbal) FROM customer d WHERE d.nationkey = n.nationkey)) ORDER BY name LIMIT 2;
SELECT desc, limit, offset FROM (SELECT 1 AS desc, 2 AS limit, 3 AS offset);
SELECT regionkey, name, count(*) AS n, grouping(regionkey, name) AS g FROM nation GROUP BY GROUPING SETS ((regionkey, name), (regionkey), ()) ORDER BY g DESC, regionkey, name LIMIT 3;
SELECT nationkey % 2 = 0 AS even, count(*) FILTER (WHERE regionkey > 1) FROM nation GROUP BY nationkey % 2 = 0 ORDER BY even;
SELECT nationkey / 2, nationkey / 2.0, nationkey / 2e0, -nationkey, nationkey * 1.10, nationkey + 0.5 FROM nation ORDER BY nationkey LIMIT 2;
(SELECT name FROM nation WHERE regionkey = 1 INTERSECT SELECT name FROM nation WHERE nationkey < 3) UNION ALL SELECT 'x' ORDER BY 1;
SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS t (id, v) LEFT JOIN (VALUES (2, DATE '2024-01-01')) AS u (id, d) ON t.id = u.id;
SELECT t.id FROM (VALUES 1) t (id) WHERE id IN (SELECT id FROM (VALUES 2) u (x));
SELECT count(*), sum(x) FROM (SELECT 1 AS x WHERE false);
SELECT max(orderdate) - min(orderdate), max(orderdate) - INTERVAL '1' YEAR FROM orders;
SELECT orderkey FROM orders WHERE orderdate = '1996-01-02';
SELECT orderkey FROM orders WHERE orderkey = '1';
SELECT orderkey FROM orders WHERE name = "x";
SELECT orderkey AS key FROM orders WHERE key = 1;
SELECT custkey, count(*) AS n FROM orders GROUP BY custkey HAVING n > 1;
SELECT custkey, orderdate, max(totalprice) FROM orders GROUP BY custkey;
SELECT count(*) FROM orders WHERE max(totalprice) > 1;
SELECT o.orderkey FROM orders o JOIN customer c ON o.custkey = customer.custkey;
SELECT sum(totalprice) OVER (PARTITION BY custkey ORDER BY orderdate ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders LIMIT 0;
SELECT orderkey, lag(totalprice, 1, 0) OVER (PARTITION BY custkey ORDER BY orderdate) FROM orders LIMIT 0;
SELECT orderkey, lag(totalprice, 1, 'x') OVER (ORDER BY orderdate) FROM orders;
SELECT try_cast('x' AS integer), try(CAST('x' AS integer)), TRY_CAST(orderdate AS integer) FROM orders;
SELECT substr(name, 1, 2) AS p, count(*) FROM nation GROUP BY p;
SELECT name, name AS n2 FROM nation GROUP BY n2;
SELECT contains(ARRAY[1, 2], 1), contains(ARRAY[1, 2], 'a');
SELECT concat('a', 1);
SELECT length(1), upper(1);
SELECT round('1.5');
SELECT date_diff('day', '2024-01-01', DATE '2024-01-02');
SELECT date_add('day', 1, '2024-01-01');
SELECT date_trunc('month', '2024-01-01');
SELECT year('2024-01-01');
SELECT sum(orderstatus) FROM orders;
SELECT greatest(orderdate, 'x') FROM orders;
SELECT orderkey || 'x' FROM orders;
SELECT orderkey + orderdate FROM orders;
SELECT CASE orderstatus WHEN 1 THEN 'a' END FROM orders;
SELECT IF(orderkey, 1, 2) FROM orders;
SELECT orderkey FROM orders UNION SELECT name FROM nation;
SELECT orderkey, custkey FROM orders UNION SELECT orderkey FROM orders;
SELECT NOT orderkey FROM orders;
SELECT orderkey FROM orders WHERE orderkey AND true;
SELECT orderkey FROM orders LIMIT 5 OFFSET 2;
SELECT orderkey FROM orders ORDER BY custkey + foo;
SELECT x.orderkey FROM (SELECT o.orderkey FROM orders o) x WHERE o.orderkey = 1;
SELECT t.* FROM (SELECT * FROM orders) LIMIT 1;
SELECT count(distinct orderkey, custkey) FROM orders;
SELECT (SELECT orderkey, custkey FROM orders LIMIT 1);
SELECT * FROM orders WHERE (orderkey, custkey) IN (SELECT orderkey, custkey FROM orders) LIMIT 0;
SELECT * FROM orders WHERE (orderkey, custkey) IN (SELECT orderkey FROM orders);
SELECT * FROM orders o WHERE o.orderkey = (SELECT max(orderkey) FROM lineitem WHERE lineitem.orderkey = o.orderkeyy);
