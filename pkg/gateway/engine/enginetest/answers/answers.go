// Package answers compares what an engine answers with the answers of Trino that package witness keeps.
package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// Corpus reads the statements of a directory of the witness, and the kept answers to them.
func Corpus(t testing.TB, dir string) ([]witness.Statement, map[string]*witness.Answer) {
	t.Helper()
	list, err := witness.Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := witness.Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list, kept
}

// Elsewhere is the error for a name outside of the schema of the corpus, tpch.tiny.
func Elsewhere(n engine.TableName) error {
	switch {
	case n.Catalog != "tpch":
		return infoschema.UnknownCatalog(n.Catalog)
	case n.Schema != "tiny":
		return &engine.Error{Kind: engine.KindUnknownSchema, Message: "Schema '" + n.Schema + "' does not exist"}
	}
	return nil
}

// Refused reports whether a statement is refused because this zone does not do what it asks for.
func Refused(err error) bool {
	var e *engine.Error
	return errors.Is(err, engine.ErrNotSupported) || errors.As(err, &e) && strings.Contains(e.Message, "on zone local")
}

// Unlike says how an answer differs from that of Trino, "" for not at all.
func Unlike(text string, a *witness.Answer, got *Rows, err error) string {
	if Refused(err) && a.Error == nil {
		return err.Error()
	}
	if failed := cmp.Or(a.Error, a.Failure); failed != nil {
		want := *failed
		if err == nil {
			return "fails in Trino: " + strings.Join(want[:], " ")
		}
		said := Told(err)
		if a.Error == nil && want[1] == "" { // Trino tells no place of what fails while it runs
			said[1] = ""
		}
		said[2], want[2] = candidates(said[2]), candidates(want[2])
		if said != want && !(want[0] == "SYNTAX_ERROR" && said[0] == want[0] &&
			said[1] == want[1]) {
			return "Trino says " + strings.Join(want[:], " ") + "\n\twe say     " + strings.Join(said[:], " ")
		}
		return ""
	}
	if err != nil {
		said := Told(err)
		return "error: " + strings.Join(said[:], " ")
	}
	if why := otherColumns(a, got); why != "" || a.Rows == nil {
		return why
	}
	got.near = readsTables(text) || hyperbolic().MatchString(text)
	if len(got.Rows) != len(a.Rows) {
		return fmt.Sprintf("%d rows, not %d", len(got.Rows), len(a.Rows))
	}
	why := otherRows(a.Rows, got)
	if why == "" {
		return ""
	}
	if left := unordered(a.Rows, got); left != "" || Ordered(text) {
		return cmp.Or(left, why)
	}
	return ""
}

// Listed reads the statements that are known to be answered differently from Trino, each with the reason above it.
func Listed(t testing.TB, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	reason := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
		} else if line != "" {
			list[strings.ReplaceAll(line, `\n`, "\n")] = reason
		}
	}
	return list
}

// candidates sorts the functions that a message lists: Trino has them in an order that is another one in each process.
func candidates(message string) string {
	head, list, ok := strings.Cut(message, "Candidates are:\n")
	if !ok {
		return message
	}
	lines := strings.Split(strings.TrimSpace(list), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	slices.Sort(lines)
	return head + strings.Join(lines, "\n")
}

// hyperbolic finds functions of which Java gives another last digit.
var hyperbolic = late.Regexp(`(?i)\b(cosh|sinh|tanh|atan2)\(`)

// Told is an error as the corpus has those of Trino: kind, place and message.
func Told(err error) [3]string {
	var out [3]string
	var e *engine.Error
	if !errors.As(err, &e) {
		return [3]string{"", "", err.Error()}
	}
	out[0], out[2] = string(e.Kind), e.Message
	if e.Line > 0 {
		out[1] = fmt.Sprintf("%d:%d", e.Line, e.Col)
	}
	var syntax *trinosql.Error
	var names *analyze.Error
	var runs *engine.CodedError
	switch {
	case errors.As(err, &syntax):
		out[0] = "SYNTAX_ERROR"
	case errors.As(err, &names):
		out[0] = names.Kind
	case errors.As(err, &runs):
		out[0] = runs.Code
	case e.Kind == engine.KindSyntax:
		out[0] = "SYNTAX_ERROR"
	case e.Kind == engine.KindUnsupported && !Refused(err):
		out[0] = "NOT_SUPPORTED"
	case e.Kind == engine.KindUnknownCatalog, e.Kind == engine.KindUnknownSchema, e.Kind == engine.KindUnknownTable:
		out[0] = strings.ToUpper(strings.TrimPrefix(string(e.Kind), "unknown ")) + "_NOT_FOUND"
	}
	return out
}

// Rows are the columns and the rows of an answer, whose values are *string.
type Rows struct {
	Columns []engine.RowColumn
	Rows    [][]any
	near    bool // sums of doubles have other last digits in another order of the rows
}

// Ask runs a statement.
func Ask(ctx context.Context, p engine.Project, q sql.Query) (*Rows, engine.Rows, error) {
	r, err := sql.Run(ctx, p, q)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	out := &Rows{Columns: r.Running.Columns()}
	for _, c := range out.Columns {
		unnamed(c.Layout)
	}
	_, err = r.Rows(ctx, func(row [][]byte) error {
		values := make([]any, len(row))
		for i, v := range row {
			var text *string
			if v != nil {
				s := string(v)
				text = &s
			}
			values[i] = text
		}
		out.Rows = append(out.Rows, values)
		return nil
	})
	return out, r.Running, err
}

// unnamed has rows written as lists, since several of their fields may have one name.
func unnamed(v *batch.Type) {
	v.Names = nil
	for _, k := range v.Kids {
		unnamed(k)
	}
}
