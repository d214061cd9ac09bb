package functions

import (
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func TestTable(t *testing.T) {
	if n := len(All()); n < 800 {
		t.Fatalf("%d signatures", n)
	}
	keys := map[string]bool{}
	for _, f := range All() {
		if keys[string(f.Kind)+f.Key] {
			t.Errorf("%s twice", f.Key)
		}
		keys[string(f.Kind)+f.Key] = true
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"abs", "integer", "(integer):integer"},
	} {
		var args []Arg
		typ, err := types.Parse("row(" + c.args + ")")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range typ.Args {
			args = append(args, Arg{Type: a})
		}
		b, err := Resolve(c.name, args)
		if err != nil {
			t.Error(err)
		} else if b.String() != c.want {
			t.Errorf("%s(%s): %s, not %s", c.name, c.args, b, c.want)
		}
	}
}
