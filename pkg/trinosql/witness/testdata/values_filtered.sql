-- Functions that fail on some values, over columns of few values: what a condition leaves out is not computed.
SELECT count(from_base(returnflag, 16)) FROM lineitem WHERE returnflag = 'A';
SELECT count(from_base(returnflag, 16)) FROM lineitem;
SELECT count(CAST(x AS date)) FROM (SELECT CASE returnflag WHEN 'A' THEN '2024-01-01' ELSE returnflag END x FROM lineitem) WHERE x LIKE '2%';
SELECT count(CASE WHEN returnflag = 'A' THEN from_base(returnflag, 16) END) FROM lineitem;
SELECT count(date_parse(returnflag, 'A')) FROM lineitem WHERE returnflag = 'A';
SELECT count(date_parse(returnflag, 'A')) FROM lineitem WHERE returnflag <> 'N';
SELECT count(TRY(from_base(returnflag, 16))), count(TRY_CAST(linestatus AS date)) FROM lineitem;
SELECT count(CAST(linestatus AS bigint)) FROM lineitem WHERE linestatus = 'F';
SELECT count(date_trunc(CASE linestatus WHEN 'F' THEN 'day' ELSE linestatus END, shipdate)) FROM lineitem WHERE linestatus = 'F';
SELECT count(date_trunc(linestatus, shipdate)) FROM lineitem WHERE linestatus = 'F';
SELECT max(parse_duration(CASE linestatus WHEN 'F' THEN '1m' ELSE linestatus END)) FROM lineitem WHERE linestatus <> 'O';
SELECT max(json_parse(CASE linestatus WHEN 'F' THEN '1' ELSE linestatus END) IS NULL) FROM lineitem WHERE linestatus <> 'O';
