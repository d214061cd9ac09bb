select 1
-----
SELECT 1
=====
  -- only a comment
-----
-- only a comment
=====
select a from t; -- one
-- two
select b
-----
SELECT a
FROM t; -- one

-- two
SELECT b
=====
insert  into t values (1) -- kept
-----
insert  into t values (1) -- kept
=====
explain select a from (select 1 a union all select 2 order by a) limit 3
-----
EXPLAIN
SELECT a
FROM (SELECT 1 a UNION ALL SELECT 2 ORDER BY a)
LIMIT 3
=====
select (select max(x)
from u) /* m
n */, f(a -- first
, b) from t
-----
SELECT
    (
        SELECT max(x)
        FROM u
    ) /* m
n */,
    f(
        a -- first
        ,
        b
    )
FROM t
=====
-- Orders of a month.
with big as (select customer_id, sum(amount) total from sample.shop.orders where placed >= date '2024-01-01' group by 1) -- by customer
select c.name, c.city, b.total, /* share */ b.total / sum(b.total) over (partition by c.city order by b.total desc) as share, case when b.total > 1000 then 'large' else 'small' end as kind
from big b join sample.shop.customers c on c.id = b.customer_id and c.active
-- only these
where c.city in ('Berlin','Oslo') and (c.name like 'a%' or c.name is not distinct from null) and b.total between 1 and 10000 order by 3 desc limit 10;
select count(*) filter(where x>-1),ARRAY[1,2][1],cast(a as decimal(10,2)) from t where exists(select 1 from u where u.id=t.id)
-----
-- Orders of a month.
WITH big AS (
    SELECT customer_id, sum(amount) total
    FROM sample.shop.orders
    WHERE placed >= DATE '2024-01-01'
    GROUP BY 1
) -- by customer
SELECT
    c.name,
    c.city,
    b.total, /* share */
    b.total / sum(b.total) OVER (PARTITION BY c.city ORDER BY b.total DESC) AS share,
    CASE WHEN b.total > 1000 THEN 'large' ELSE 'small' END AS kind
FROM big b
JOIN sample.shop.customers c ON c.id = b.customer_id AND c.active
-- only these
WHERE c.city IN ('Berlin', 'Oslo')
    AND (c.name LIKE 'a%' OR c.name IS NOT DISTINCT FROM NULL)
    AND b.total BETWEEN 1 AND 10000
ORDER BY 3 DESC
LIMIT 10;

SELECT count(*) FILTER (WHERE x > -1), ARRAY[1, 2][1], CAST(a AS decimal(10, 2))
FROM t
WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)
