-- The 22 queries of TPC-H with the names of Trino's columns. Sums of doubles are rounded, because their last digits hang on the order of
-- the rows.
SELECT returnflag, linestatus, sum(quantity) AS sum_qty, round(sum(extendedprice), 2) AS sum_base_price,
  round(sum(extendedprice * (1 - discount)), 2) AS sum_disc_price, round(sum(extendedprice * (1 - discount) * (1 + tax)), 2) AS sum_charge,
  round(avg(quantity), 4) AS avg_qty, round(avg(extendedprice), 4) AS avg_price, round(avg(discount), 4) AS avg_disc, count(*) AS count_order
FROM lineitem WHERE shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY returnflag, linestatus ORDER BY returnflag, linestatus;
SELECT s.acctbal, s.name, n.name, p.partkey, p.mfgr, s.address, s.phone
FROM part p, supplier s, partsupp ps, nation n, region r
WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND p.size = 15 AND p.type LIKE '%BRASS' AND s.nationkey = n.nationkey
  AND n.regionkey = r.regionkey AND r.name = 'EUROPE'
  AND ps.supplycost = (SELECT min(ps.supplycost) FROM partsupp ps, supplier s, nation n, region r
    WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND s.nationkey = n.nationkey AND n.regionkey = r.regionkey AND r.name = 'EUROPE')
ORDER BY s.acctbal DESC, n.name, s.name, p.partkey LIMIT 20;
SELECT l.orderkey, round(sum(l.extendedprice * (1 - l.discount)), 2) AS revenue, o.orderdate, o.shippriority
FROM customer AS c, orders AS o, lineitem AS l
WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate < DATE '1995-03-15' AND l.shipdate > DATE '1995-03-15'
GROUP BY l.orderkey, o.orderdate, o.shippriority ORDER BY revenue DESC, o.orderdate LIMIT 10;
SELECT orderpriority, count(*) AS order_count FROM orders o
WHERE orderdate >= DATE '1993-07-01' AND orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem WHERE orderkey = o.orderkey AND commitdate < receiptdate)
GROUP BY orderpriority ORDER BY orderpriority;
SELECT n.name, round(sum(l.extendedprice * (1 - l.discount)), 2) AS revenue
FROM customer AS c, orders AS o, lineitem AS l, supplier AS s, nation AS n, region AS r
WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND l.suppkey = s.suppkey AND c.nationkey = s.nationkey AND s.nationkey = n.nationkey
  AND n.regionkey = r.regionkey AND r.name = 'ASIA' AND o.orderdate >= DATE '1994-01-01' AND o.orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n.name ORDER BY revenue DESC;
SELECT round(sum(extendedprice * discount), 2) AS revenue FROM lineitem
WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND discount BETWEEN decimal '0.06' - decimal '0.01' AND decimal '0.06' + decimal '0.01' AND quantity < 24;
SELECT supp_nation, cust_nation, l_year, round(sum(volume), 2) AS revenue
FROM (SELECT n1.name AS supp_nation, n2.name AS cust_nation, extract(YEAR FROM l.shipdate) AS l_year, l.extendedprice * (1 - l.discount) AS volume
  FROM supplier AS s, lineitem AS l, orders AS o, customer AS c, nation AS n1, nation AS n2
  WHERE s.suppkey = l.suppkey AND o.orderkey = l.orderkey AND c.custkey = o.custkey AND s.nationkey = n1.nationkey AND c.nationkey = n2.nationkey
    AND ((n1.name = 'FRANCE' AND n2.name = 'GERMANY') OR (n1.name = 'GERMANY' AND n2.name = 'FRANCE'))
    AND l.shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31') AS shipping
GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year;
SELECT o_year, round(sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume), 6) AS mkt_share
FROM (SELECT extract(YEAR FROM o.orderdate) AS o_year, l.extendedprice * (1 - l.discount) AS volume, n2.name AS nation
  FROM part AS p, supplier AS s, lineitem AS l, orders AS o, customer AS c, nation AS n1, nation AS n2, region AS r
  WHERE p.partkey = l.partkey AND s.suppkey = l.suppkey AND l.orderkey = o.orderkey AND o.custkey = c.custkey AND c.nationkey = n1.nationkey
    AND n1.regionkey = r.regionkey AND r.name = 'AMERICA' AND s.nationkey = n2.nationkey
    AND o.orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND p.type = 'ECONOMY ANODIZED STEEL') AS all_nations
GROUP BY o_year ORDER BY o_year;
SELECT nation, o_year, round(sum(amount), 2) AS sum_profit
FROM (SELECT n.name AS nation, extract(YEAR FROM o.orderdate) AS o_year, l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity AS amount
  FROM part AS p, supplier AS s, lineitem AS l, partsupp AS ps, orders AS o, nation AS n
  WHERE s.suppkey = l.suppkey AND ps.suppkey = l.suppkey AND ps.partkey = l.partkey AND p.partkey = l.partkey AND o.orderkey = l.orderkey
    AND s.nationkey = n.nationkey AND p.name LIKE '%green%') AS profit
GROUP BY nation, o_year ORDER BY nation, o_year DESC LIMIT 25;
SELECT c.custkey, c.name, round(sum(l.extendedprice * (1 - l.discount)), 2) AS revenue, c.acctbal, n.name, c.address, c.phone
FROM lineitem AS l, orders AS o, customer AS c, nation AS n
WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate >= DATE '1993-10-01' AND o.orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH
  AND l.returnflag = 'R' AND c.nationkey = n.nationkey
GROUP BY c.custkey, c.name, c.acctbal, c.phone, n.name, c.address, c.comment ORDER BY revenue DESC LIMIT 20;
SELECT ps.partkey, round(sum(ps.supplycost * ps.availqty), 2) AS value FROM partsupp ps, supplier s, nation n
WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY'
GROUP BY ps.partkey
HAVING sum(ps.supplycost * ps.availqty) > (SELECT sum(ps.supplycost * ps.availqty) * 0.01 FROM partsupp ps, supplier s, nation n
  WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY')
ORDER BY value DESC LIMIT 25;
SELECT l.shipmode, sum(CASE WHEN o.orderpriority = '1-URGENT' OR o.orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
  sum(CASE WHEN o.orderpriority <> '1-URGENT' AND o.orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders AS o, lineitem AS l
WHERE o.orderkey = l.orderkey AND l.shipmode IN ('MAIL', 'SHIP') AND l.commitdate < l.receiptdate AND l.shipdate < l.commitdate
  AND l.receiptdate >= DATE '1994-01-01' AND l.receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l.shipmode ORDER BY l.shipmode;
SELECT c_count, count(*) AS custdist
FROM (SELECT c.custkey, count(o.orderkey) FROM customer AS c LEFT OUTER JOIN orders AS o ON c.custkey = o.custkey AND o.comment NOT LIKE '%special%requests%'
  GROUP BY c.custkey) AS c_orders (c_custkey, c_count)
GROUP BY c_count ORDER BY custdist DESC, c_count DESC LIMIT 25;
SELECT round(100.00 * sum(CASE WHEN p.type LIKE 'PROMO%' THEN l.extendedprice * (1 - l.discount) ELSE 0 END) / sum(l.extendedprice * (1 - l.discount)), 6) AS promo_revenue
FROM lineitem AS l, part AS p
WHERE l.partkey = p.partkey AND l.shipdate >= DATE '1995-09-01' AND l.shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH;
WITH revenue (supplier_no, total_revenue) AS (
  SELECT suppkey, round(sum(extendedprice * (1 - discount)), 2) FROM lineitem
  WHERE shipdate >= DATE '1996-01-01' AND shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH GROUP BY suppkey)
SELECT suppkey, name, address, phone, total_revenue FROM supplier, revenue
WHERE suppkey = supplier_no AND total_revenue = (SELECT max(total_revenue) FROM revenue) ORDER BY suppkey;
SELECT p.brand, p.type, p.size, count(DISTINCT ps.suppkey) AS supplier_cnt FROM partsupp AS ps, part AS p
WHERE p.partkey = ps.partkey AND p.brand <> 'Brand#45' AND p.type NOT LIKE 'MEDIUM POLISHED%' AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND ps.suppkey NOT IN (SELECT suppkey FROM supplier WHERE comment LIKE '%Customer%Complaints%')
GROUP BY p.brand, p.type, p.size ORDER BY supplier_cnt DESC, p.brand, p.type, p.size LIMIT 30;
SELECT round(sum(l.extendedprice) / 7.0, 4) AS avg_yearly FROM lineitem AS l, part AS p
WHERE p.partkey = l.partkey AND p.brand = 'Brand#23' AND p.container IN ('MED BOX', 'LG BOX', 'SM BOX')
  AND l.quantity < (SELECT 0.2 * avg(quantity) FROM lineitem WHERE partkey = p.partkey);
SELECT c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, sum(l.quantity)
FROM customer AS c, orders AS o, lineitem AS l
WHERE o.orderkey IN (SELECT orderkey FROM lineitem GROUP BY orderkey HAVING sum(quantity) > 280) AND c.custkey = o.custkey AND o.orderkey = l.orderkey
GROUP BY c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice ORDER BY o.totalprice DESC, o.orderdate LIMIT 25;
SELECT round(sum(l.extendedprice * (1 - l.discount)), 2) AS revenue FROM lineitem AS l, part AS p
WHERE (p.partkey = l.partkey AND p.brand = 'Brand#12' AND p.container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l.quantity >= 1 AND l.quantity <= 1 + 10
    AND p.size BETWEEN 1 AND 5 AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON')
  OR (p.partkey = l.partkey AND p.brand = 'Brand#23' AND p.container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND l.quantity >= 10 AND l.quantity <= 10 + 10
    AND p.size BETWEEN 1 AND 10 AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON')
  OR (p.partkey = l.partkey AND p.brand = 'Brand#34' AND p.container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l.quantity >= 20 AND l.quantity <= 20 + 10
    AND p.size BETWEEN 1 AND 15 AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON');
SELECT s.name, s.address FROM supplier AS s, nation AS n
WHERE s.suppkey IN (SELECT ps.suppkey FROM partsupp AS ps
    WHERE ps.partkey IN (SELECT p.partkey FROM part AS p WHERE p.name LIKE 'forest%')
      AND ps.availqty > (SELECT 0.5 * sum(l.quantity) FROM lineitem AS l WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey
        AND l.shipdate >= DATE '1994-01-01' AND l.shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR))
  AND s.nationkey = n.nationkey AND n.name = 'CANADA'
ORDER BY s.name;
SELECT s.name, count(*) AS numwait FROM supplier AS s, lineitem AS l1, orders AS o, nation AS n
WHERE s.suppkey = l1.suppkey AND o.orderkey = l1.orderkey AND o.orderstatus = 'F' AND l1.receiptdate > l1.commitdate
  AND EXISTS (SELECT * FROM lineitem AS l2 WHERE l2.orderkey = l1.orderkey AND l2.suppkey <> l1.suppkey)
  AND NOT EXISTS (SELECT * FROM lineitem AS l3 WHERE l3.orderkey = l1.orderkey AND l3.suppkey <> l1.suppkey AND l3.receiptdate > l3.commitdate)
  AND s.nationkey = n.nationkey AND n.name = 'SAUDI ARABIA'
GROUP BY s.name ORDER BY numwait DESC, s.name LIMIT 30;
SELECT cntrycode, count(*) AS numcust, round(sum(acctbal), 2) AS totacctbal
FROM (SELECT substr(c.phone, 1, 2) AS cntrycode, c.acctbal FROM customer AS c
  WHERE substr(c.phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND c.acctbal > (SELECT avg(acctbal) FROM customer WHERE acctbal > 0.00 AND substr(phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
    AND NOT EXISTS (SELECT * FROM orders AS o WHERE o.custkey = c.custkey)) AS custsale
GROUP BY cntrycode ORDER BY cntrycode;
