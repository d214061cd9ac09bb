-- Regular expressions: empty matches, classes, anchors, characters beyond ASCII, flags, groups, and what only Java has.
SELECT regexp_replace('xx', 'x*', '-'), regexp_replace('baac', 'a*', '-'), regexp_extract_all('baac', 'a*'), regexp_split('baac', 'a*'), regexp_count('baac', 'a*'), regexp_position('baac', 'a*', 1, 3);
SELECT regexp_replace('añb', '', '-'), regexp_extract_all('ñ', '.*'), regexp_replace('baac', '(a*)', m -> '<' || m[1] || '>'), regexp_count('', ''), regexp_split('', ''), regexp_split('abc', '');
SELECT regexp_replace('ab ab', '\b', '|'), regexp_extract_all('ab cd', '\b'), regexp_count('ab cd', '\b'), regexp_replace('x', '(x|)', '[$1]'), regexp_replace('ab', 'x?', '-');
SELECT regexp_replace('abc]', '[a-z&&[^b]]', '-'), regexp_extract_all('abcdef', '[a-f&&[^bd]]');
SELECT regexp_like('&', '[a&]'), regexp_like('b', '[a\[b]'), regexp_like('[', '[a\[b]'), regexp_like('&', '[&]'), regexp_extract_all('a^b', '[^]a]'), regexp_extract_all('a]b', '[]a]');
SELECT regexp_like('b', '[a[b]]'), regexp_like('[', '[a[b]]');
SELECT regexp_like(U&'a\000A', 'a$'), regexp_like(U&'a\000Ab', 'a$'), regexp_like(U&'a\000Ab', '^b'), regexp_like(U&'a\000Ab', '(?m)^b'), regexp_like(U&'a\000Ab', 'a.b'), regexp_like(U&'a\000Ab', '(?s)a.b'), regexp_like(U&'a\000D', 'a$');
SELECT regexp_replace(U&'a\000Ab\000A', '$', '!'), regexp_replace(U&'a\000Ab', '(?m)$', '!'), regexp_replace(U&'a\000Ab', '(?m)^', '>'), regexp_extract(U&'a\000Ab', '.*'), regexp_extract_all(U&'a\000D\000Ab', '.+');
SELECT regexp_extract_all('aé1٣_ñ', '\w'), regexp_extract_all('1٣', '\d'), regexp_extract_all(U&'a b\00A0c\3000d', '\s'), regexp_extract_all('aé', '\W'), regexp_replace('é a', '\b', '|');
SELECT regexp_like('É', '(?i)é'), regexp_like('É', 'é'), regexp_like('K', '(?i)k'), regexp_like('ſ', '(?i)s'), regexp_like('SS', '(?i)ß'), regexp_like('ß', '(?i)ss');
SELECT regexp_extract_all('ab1', '[[:alpha:]]'), regexp_extract_all('aé1', '[:alpha:]'), regexp_extract_all('aé1', '\p{L}'), regexp_extract_all('aÉ1', '\p{Lu}'), regexp_extract_all('a1', '\pL'), regexp_extract_all('a1', '\PL'), regexp_extract_all('ab1 ', '[[:alnum:]_]');
SELECT regexp_extract_all('aé1', '[[:alpha:]]');
SELECT regexp_extract_all('aé1', '\p{Alpha}');
SELECT regexp_extract_all('aλ', '\p{IsGreek}');
SELECT regexp_extract('foobar', '(?<a>o+)(?<b>b)', 2), regexp_replace('foobar', '(?<a>o+)', '<${a}>'), regexp_extract('foobar', '(?:o+)(b)', 1), regexp_extract('abc', 'x', 0), regexp_extract('abc', '(x)?b', 1);
SELECT regexp_like('aa', '(.)\1'), regexp_like('ab', '(.)\1'), regexp_extract('aXbX', 'X(?!b)'), regexp_extract('foobar', '(?<!o)b'), regexp_extract('aaa', 'a*?'), regexp_extract('aaa', 'a{2}'), regexp_extract('a{2}', 'a\{2\}');
SELECT regexp_extract('aaa', 'a++'), regexp_like('aaa', 'a++a'), regexp_extract('aaa', '(?>a+)'), regexp_extract('aaa', 'a*+');
SELECT regexp_like('a', '\x61'), regexp_like('a', '\u0061'), regexp_like('a', '\x{61}'), regexp_like(U&'\0009', '\t'), regexp_like('a.b', '\Qa.b\E'), regexp_like('axb', '\Qa.b\E'), regexp_like('a', '\Aa\z'), regexp_like('a.bc', '\Qa.b\Ec'), regexp_like('a.b', '\Qa.b');
SELECT regexp_like(U&'a\000A', '\Aa\Z');
SELECT regexp_like('a b', '(?x)a b'), regexp_like('ab', '(?x)a b'), regexp_like('AB', 'a(?i)b'), regexp_like('aB', 'a(?i)b'), regexp_like('aB', 'a(?i:b)'), regexp_like('ab', 'a(?-i)b');
SELECT regexp_like(U&' \00A0', '\h');
SELECT regexp_like('x', '\X');
SELECT regexp_like(U&'\000B', '\v'), regexp_like('-', '[a\-z]'), regexp_like('-', '[\w-]'), regexp_like('b', '[a-]'), regexp_like(']', '[]a]');
SELECT regexp_like('a', '[');
SELECT regexp_like('a', '(');
SELECT regexp_like('a', '*');
SELECT regexp_like('a', 'a{2,1}');
SELECT regexp_like('a', '[z-a]');
SELECT regexp_like('a', '\');
SELECT regexp_extract('a', 'a', 1);
SELECT regexp_extract('a', 'a', -1);
SELECT regexp_replace('a', 'a', '$1');
SELECT regexp_replace('a', 'a', '$');
SELECT regexp_replace('a', 'a', '\');
SELECT regexp_replace('a', 'a', '${x}');
SELECT regexp_replace('a', '(?<x>a)', '${x');
SELECT regexp_replace('a$b', '\$', '\$'), regexp_replace('ab', '(a)(b)', '$2$1'), regexp_replace('a', '(a)', '$10'), regexp_replace('a', 'a', '\\'), regexp_replace('abc', '[ac]'), regexp_replace('𝄞a', '.', '-');
SELECT regexp_position('I have 23 apples', '\d'), regexp_position('a1b2', '\d', 3), regexp_position('a1b2', '\d', 1, 2), regexp_position('é1', '\d'), regexp_position('a', 'b'), regexp_position('a', 'a', 5);
SELECT regexp_position('a', 'a', 0);
SELECT regexp_position('a', 'a', 1, 0);
SELECT regexp_count('𝄞𝄞', '.'), regexp_split('a1b2c', '\d'), regexp_split('1a', '\d'), regexp_split('a1', '\d'), regexp_split('a', 'x'), regexp_extract_all('a1b22', '[a-z]\d+'), regexp_extract_all('a1b22', '([a-z])(\d+)', 2);
SELECT regexp_like(NULL, 'a'), regexp_like('a', NULL), regexp_replace('a', NULL), regexp_extract('a', 'b'), regexp_extract_all('a', 'b'), regexp_split(NULL, 'a'), regexp_replace('a', 'b', NULL);
SELECT x, regexp_like(x, p), regexp_extract(x, p), regexp_replace(x, p, '_') FROM (VALUES ('abc', 'b'), ('abc', '[a-b]+'), (NULL, 'a'), ('abc', NULL), ('', '')) t(x, p);
SELECT regexp_like('a' || chr(0) || 'b', 'a.b'), regexp_like('ab', 'a|'), regexp_extract('ab', '|a'), regexp_extract('ab', 'a|ab'), regexp_extract('abcd', '(ab|abc)(d|cd)', 2), regexp_extract('aab', '(a|ab)(c|bcd)?', 1);
-- trim takes the white space of Java
SELECT length(trim(chr(c) || 'a' || chr(c))) FROM UNNEST(ARRAY[9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160, 5760, 6158, 8192, 8193, 8199, 8200, 8202, 8203, 8232, 8233, 8239, 8287, 12288, 65279]) t(c);
SELECT ltrim(x), rtrim(x), trim(x), length(trim(BOTH FROM x)), length(trim(LEADING FROM x)) FROM (VALUES U&'\2003a\3000', U&'\00A0a\00A0', U&'\2028', '') t(x);
-- distances beyond ASCII
SELECT levenshtein_distance('žluť', 'zluty'), levenshtein_distance('', 'añ'), levenshtein_distance('𝄞', 'a'), levenshtein_distance('kitten', 'sitting'), levenshtein_distance('', ''), levenshtein_distance(NULL, 'a'), levenshtein_distance('é', U&'e\0301');
SELECT hamming_distance('ž', 'z'), hamming_distance('𝄞b', 'ab'), hamming_distance('', ''), hamming_distance('abc', 'abd'), hamming_distance(NULL, 'a');
SELECT hamming_distance('ž', 'zz');
SELECT levenshtein_distance(rpad('', 2000, 'a'), rpad('', 2000, 'b'));
-- the greatest and the least beside NaN
SELECT greatest(1e0, nan()), greatest(nan(), nan()), greatest(nan(), 2e0, 1e0), least(nan(), nan()), least(1e0, nan()), least(nan(), 1e0), greatest(REAL 'NaN', REAL '1'), greatest(NULL, nan()), greatest(nan(), CAST(NULL AS double));
SELECT greatest(x, y), least(x, y), greatest(x, y, 0) FROM (VALUES (nan(), 1e0), (1e0, nan()), (nan(), nan()), (NULL, 1e0), (-1e0, nan())) t(x, y);
SELECT max(x), min(x) FROM (VALUES ARRAY[nan()], ARRAY[1e0]) t(x);
SELECT max(x), min(x) FROM (VALUES ARRAY[2e0], ARRAY[1e0], NULL) t(x);
SELECT max(x), max_by(k, x), min_by(k, x) FROM (VALUES (1, ROW(nan(), 1)), (2, ROW(1e0, 1))) t(k, x);
SELECT max(x, 2), min(x, 2) FROM (VALUES nan(), 1e0, 2e0) t(x);
SELECT array_max(ARRAY[nan(), nan()]), array_min(ARRAY[1e0, nan()]), array_max(ARRAY[1e0, nan()]), array_max(ARRAY[ARRAY[nan()], ARRAY[1e0]]);
SELECT array_sort(ARRAY[nan(), 1e0, -infinity(), NULL, infinity()]), array_distinct(ARRAY[nan(), nan()]), contains(ARRAY[nan()], nan()), array_position(ARRAY[nan()], nan()), arrays_overlap(ARRAY[nan()], ARRAY[nan()]), array_remove(ARRAY[nan(), 1e0], nan()), array_union(ARRAY[nan()], ARRAY[nan()]), array_except(ARRAY[nan()], ARRAY[nan()]), array_intersect(ARRAY[nan()], ARRAY[nan()]);
-- decimals in JSON
SELECT CAST(DECIMAL '12345678901234567890.10' AS json), json_format(CAST(ARRAY[DECIMAL '1.10', 2.5] AS json)), CAST(MAP(ARRAY[DECIMAL '1.10'], ARRAY[1.0]) AS json), CAST(ROW(1.10) AS json), CAST(0.00 AS json), CAST(-1.50 AS json), CAST(DECIMAL '100' AS json), CAST(0.0000001 AS json);
SELECT CAST(x AS json) FROM (VALUES 1.10, 2.00, -0.05, 0.00, NULL) t(x);
-- keys of maps that become NULL or the same
SELECT CAST(MAP(ARRAY[JSON 'null', JSON 'null'], ARRAY[1, 2]) AS MAP(bigint, bigint));
SELECT CAST(MAP(ARRAY['1', '01'], ARRAY[1, 2]) AS MAP(bigint, bigint));
SELECT TRY_CAST(MAP(ARRAY['x'], ARRAY[1]) AS MAP(bigint, bigint));
SELECT TRY_CAST(MAP(ARRAY['x', '1'], ARRAY[1, 2]) AS MAP(bigint, bigint));
-- what changes from row to row, in TRY
SELECT TRY(CAST(random() AS bigint) * 0 / 0), TRY(random() / 0) > 0, TRY(length(CAST(uuid() AS varchar)));
