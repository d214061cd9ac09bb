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
