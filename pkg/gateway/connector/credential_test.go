package connector

import (
	"errors"
	"testing"
)

// Names that differ in case are told in one order, whatever order the source lists them in.
func TestPickNamesInOneOrder(t *testing.T) {
	const want = `the source has the tables ["ONE" "One"], which differ from "one" in case only`
	for _, names := range [][]string{{"ONE", "One", "two"}, {"One", "two", "ONE"}} {
		if _, found, err := Pick("table", "one", names); found || !errors.Is(err, ErrAmbiguous) || err.Error() != want {
			t.Errorf("%q: %v, %v", names, found, err)
		}
	}
	if got, found, err := Pick("table", "One", []string{"ONE", "One"}); got != "One" || !found || err != nil {
		t.Errorf("%s, %v, %v", got, found, err)
	}
}
