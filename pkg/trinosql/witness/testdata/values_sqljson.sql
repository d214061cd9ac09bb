-- The functions of JSON of the SQL standard.
SELECT JSON_VALUE('{"a": {"b": "x"}}', 'lax $.a.b'), JSON_VALUE('{"a": [1, 2]}', 'lax $.a[1]'), JSON_VALUE('{"a": true}', 'lax $.a'), JSON_VALUE('{"a": null}', 'lax $.a'), JSON_VALUE('{"a": "x"}', 'lax $.b');
SELECT JSON_VALUE('{"a": {}}', 'lax $.a'), JSON_VALUE('{"a": [1, 2]}', 'lax $.a[*]'), JSON_VALUE('{"a": [1]}', 'lax $.a[*]'), JSON_VALUE('{"a"', 'lax $.a'), JSON_VALUE('"x"', 'lax $'), JSON_VALUE(CAST(NULL AS varchar), 'lax $'), JSON_VALUE('[{"a": 7}]', 'lax $.a'), JSON_VALUE('[[{"a": 7}]]', 'lax $.a'), JSON_VALUE('7', 'lax $[0]'), JSON_VALUE('7', 'lax $[1]');
SELECT JSON_VALUE('{"a": 1.5}', 'lax $.a');
SELECT JSON_VALUE('{"a": 1e3}', 'lax $.a');
SELECT JSON_VALUE('{"a": 1.50}', 'lax $.a');
SELECT JSON_VALUE('{"a": 12345678901234567890}', 'lax $.a');
SELECT JSON_VALUE('{"a b": "x", "a": "é\n"}', 'lax $."a b"'), JSON_VALUE('{"a b": "x", "a": "é\n"}', 'lax $.a');
SELECT JSON_VALUE('{"a": 1, "a": 2}', 'lax $.a');
SELECT JSON_VALUE('{"a": "x"}', 'lax $.a' NULL ON EMPTY NULL ON ERROR), JSON_VALUE('{"a": "x"}' FORMAT JSON, 'lax $.a');
SELECT JSON_EXISTS('{"a": {"b": "x"}}', 'lax $.a.b'), JSON_EXISTS('{"a": 1}', 'lax $.b'), JSON_EXISTS('{"a": null}', 'lax $.a'), JSON_EXISTS('[]', 'lax $[0]'), JSON_EXISTS('[1]', 'lax $[*]'), JSON_EXISTS('{', 'lax $'), JSON_EXISTS('1', 'lax $'), JSON_EXISTS('[]', 'lax $[*]');
SELECT JSON_EXISTS(CAST(NULL AS varchar), 'lax $');
SELECT JSON_EXISTS('{"a": 1}', 'lax $.a' FALSE ON ERROR);
SELECT JSON_QUERY('{"a": {"b": "x"}}', 'lax $.a'), JSON_QUERY('{"a": [1, 2]}', 'lax $.a'), JSON_QUERY('{"a": "x"}', 'lax $.a'), JSON_QUERY('{"a": true}', 'lax $.a'), JSON_QUERY('{"a": null}', 'lax $.a'), JSON_QUERY('{"a": 1}', 'lax $.b'), JSON_QUERY('[1, 2]', 'lax $[*]'), JSON_QUERY('{', 'lax $');
SELECT JSON_QUERY('{"b": 1, "a": [ "é\n", {} ]}', 'lax $');
SELECT JSON_QUERY('{"a": 1.50}', 'lax $.a'), JSON_QUERY('{"a": 1e3}', 'lax $');
SELECT JSON_QUERY(CAST(NULL AS varchar), 'lax $');
SELECT name, JSON_VALUE('{"n": "' || name || '"}', 'lax $.n') FROM region ORDER BY regionkey;
