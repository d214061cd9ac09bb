package trinosql

import (
	"errors"
	"testing"
)

// TestWriter: a dialect that has another word for TRUE and no CASE writes the rest as Trino does.
func TestWriter(t *testing.T) {
	w := &Writer{Quoted: func(name string, _ bool) string { return "[" + name + "]" }}
	w.Override = func(w *Writer, n Node) bool {
		switch n := n.(type) {
		case *BoolLit:
			w.Put("1", " = ", "1")
		case *Func:
			w.Fill("$2 ~ '$'$1$", n.Args...)
		case *Not:
			w.Put("NO ")
			w.Usual(n)
		case *Case:
			Refuse(n, "CASE")
		default:
			return false
		}
		return true
	}
	for text, want := range map[string]string{
		"SELECT NOT a OR TRUE":             "SELECT NO (NOT [a]) OR 1 = 1",
		"SELECT f(a + 1, b) IS NULL":       "SELECT [b] ~ '$'([a] + 1)$ IS NULL",
		"SELECT a, CASE WHEN a THEN 1 END": "!line 1:11: CASE",
	} {
		tree, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Print(func() { w.Write(tree) })
		var refused *Unsupported
		if errors.As(err, &refused) {
			got = "!" + err.Error()
		}
		if got != want {
			t.Errorf("%s\n\tis   %s\n\twant %s", text, got, want)
		}
	}
}
