package trinosql

import "testing"

// TestRoutineLists: each list of statements in a routine has one, except that of a block.
func TestRoutineLists(t *testing.T) {
	for body, valid := range map[string]bool{
		"BEGIN END":                            true,
		"BEGIN DECLARE x bigint; END":          true,
		"IF true THEN RETURN 1; END IF":        true,
		"IF true THEN END IF":                  false,
		"IF true THEN RETURN 1; ELSE END IF":   false,
		"IF true THEN ELSEIF true THEN END IF": false,
		"CASE WHEN true THEN END CASE":         false,
		"LOOP END LOOP":                        false,
		"WHILE true DO END WHILE":              false,
		"REPEAT UNTIL true END REPEAT":         false,
	} {
		text := "WITH FUNCTION f() RETURNS bigint BEGIN " + body + "; RETURN 1; END SELECT f()"
		if _, err := Parse(text); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRoutineText: the errors are those of Trino 476.
func TestRoutineText(t *testing.T) {
	const head = "WITH FUNCTION f(x bigint) RETURNS bigint "
	for _, c := range []struct{ text, fault string }{
		{"LANGUAGE PYTHON WITH (handler = 'twice') AS $$\ndef twice(a):\n  return '2' * a -- $5;\n$$ SELECT f(2)", ""},
		{"LANGUAGE PYTHON AS $$\r\n b$ $$ SELECT f(2)", ""},
		{"AS $$\n b $$ SELECT f(2)", ""}, // an error of the analyser
		{"LANGUAGE PYTHON AS $$ b $$ SELECT f(2)",
			"line 1:61: Function definition must start with a newline after opening quotes"},
		{"LANGUAGE PYTHON AS 'abc' SELECT f(2)", "line 1:61: mismatched input ''abc''. Expecting: DOLLAR_STRING"},
		{"LANGUAGE PYTHON RETURN 1 SELECT f(2)",
			"line 1:58: Only functions using language 'SQL' may be defined using SQL"},
		{"LANGUAGE PYTHON AS $$\n b $ SELECT f(2)", "line 1:61: mismatched input '$'. Expecting: DOLLAR_STRING"},
		{"RETURN $$\n1$$ SELECT f(2)", `line 1:49: mismatched input '$$\n1$$'. Expecting: <expression>`},
	} {
		tree, err := Parse(head + c.text)
		if c.fault != "" {
			if err == nil || err.Error() != c.fault {
				t.Errorf("%s: %v, want %s", c.text, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		again, err := Parse(String(tree))
		if err != nil || dump(tree) != dump(again) {
			t.Errorf("%s is printed as %s: %v", c.text, String(tree), err)
		}
		formatted(t, head+c.text)
	}
}
