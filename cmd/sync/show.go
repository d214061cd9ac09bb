package sync

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
)

// step is a change in the output for scripts.
type step struct {
	Action manifest.Action       `json:"action"`
	Kind   manifest.Kind         `json:"kind"`
	Name   string                `json:"name"`
	Fields []manifest.Difference `json:"fields"`
	Breaks []string              `json:"breaks,omitempty"` // objects that it breaks
	Rows   *int64                `json:"rows,omitempty"`   // deleted with a table, or with a value in a deleted column
	Sends  *manifest.Sent        `json:"sends,omitempty"`
	Done   *bool                 `json:"done,omitempty"` // set by apply
}

func stepOf(ch manifest.Change) step {
	s := step{Action: ch.Action, Kind: ch.Kind, Name: ch.Title(), Fields: ch.Fields, Breaks: titles(ch.Breaks),
		Rows: ch.Rows, Sends: ch.Sends}
	if s.Fields == nil {
		s.Fields = []manifest.Difference{}
	}
	return s
}

// writing are the operations that change a project.
func writing() []spec.Op {
	return []spec.Op{spec.CreateQueryFolder, spec.CreateChildQueryFolder, spec.RenameQueryFolder, spec.MoveQueryFolder,
		spec.DeleteQueryFolder,
		spec.CreateConnection, spec.CreateConnectionAlt, spec.UpdateConnection, spec.DeleteConnection,
		spec.CreateCatalog, spec.CreateCatalogAlt, spec.DeleteCatalog,
		spec.CreateInternalTable, spec.DeleteInternalTable, spec.AddInternalColumns, spec.UpdateInternalColumn,
		spec.DeleteInternalColumn,
		spec.CreateBiTable, spec.DeleteBiTable, spec.AddBiColumns, spec.UpdateBiColumn, spec.DeleteBiColumn,
		spec.CreateParametricTable, spec.DeleteParametricTable, spec.CreateCache, spec.UpdateCacheSettings,
		spec.DeleteCache,
		spec.GetQuery, spec.CreateQuery, spec.UpdateQuery, spec.MoveQuery, spec.DeleteQuery, spec.CreateSemanticCatalog,
		spec.CreateSemanticTable, spec.DeleteSemanticTable,
		spec.UpdateTableMetadata, spec.AddRelation, spec.UpdateRelation, spec.DeleteRelation, spec.CreateGoldenSql,
		spec.DeleteGoldenSql}
}

// show prints changes: as lines for people, and otherwise as records. leave are the objects that exist only in the
// project and are kept.
func show(e *cli.Env, o output.Options, changes, leave []manifest.Change, whole bool) error {
	if forPeople(e, o) {
		if err := lines(e.OnScreen(), changes, whole); err != nil {
			return err
		}
		if len(changes) == 0 {
			fmt.Fprintln(e.Err, "no differences")
		}
	} else {
		all := []step{}
		for _, ch := range changes {
			all = append(all, stepOf(ch))
		}
		if err := e.Print(cli.List(all, "action", "kind", "name").PrintValue(), nil, o); err != nil {
			return err
		}
	}
	noteLeft(e.Err, leave)
	return nil
}

// noteLeft reports how much is not deleted.
func noteLeft(w io.Writer, leave []manifest.Change) {
	if len(leave) > 0 {
		fmt.Fprintln(w, phrase.Plural(len(leave),
			"1 object is only in the project and left as it is; --prune deletes it",
			"%d objects are only in the project and not changed; --prune deletes them"))
	}
}

// sign is the sign of an action.
func sign(a manifest.Action) string {
	switch a {
	case manifest.Create:
		return "+"
	case manifest.Delete:
		return "-"
	case manifest.Blocked:
		return "!"
	}
	return "~"
}

// lines prints changes for people. Multi-line texts are compared line by line.
func lines(to io.Writer, changes []manifest.Change, whole bool) error {
	w := new(bytes.Buffer)
	wide := len(manifest.KindSemanticCatalog)
	for _, ch := range changes {
		fmt.Fprintf(w, "%s %-*s  %s%s\n", sign(ch.Action), wide, ch.Kind, visible(ch.Title()),
			visible(note(ch)+broken(ch)))
		if x := ch.Sends; x != nil {
			var refs []string
			for _, r := range x.Reads {
				refs = append(refs, r.Field+" "+r.Reference)
			}
			fmt.Fprintf(w, "    reads: %s\n    sent to: %s\n", visible(strings.Join(refs, ", ")),
				visible(strings.Join(x.To, ", ")))
		}
		if ch.Action == manifest.Create && !whole || ch.Action == manifest.Delete {
			fmt.Fprint(w, runs(ch))
			continue
		}
		for _, f := range ch.Fields {
			switch {
			case ch.Action == manifest.Create:
				if !strings.Contains(f.To, "\n") {
					fmt.Fprintf(w, "    %s: %s\n", visible(f.Name), visible(f.To))
				}
			case strings.Contains(f.From+f.To, "\n") || len(f.From)+len(f.To) > 100:
				fmt.Fprintf(w, "    %s:\n", visible(f.Name))
				for _, l := range manifest.DiffLines(f.From, f.To) {
					fmt.Fprintf(w, "      %s\n", term.SanitizeText(nil, l)) // tabs of SQL stay
				}
			default:
				fmt.Fprintf(w, "    %s: %s -> %s\n", visible(f.Name), visible(shown(f.From)), visible(shown(f.To)))
			}
		}
	}
	_, err := to.Write(w.Bytes())
	return err
}

// runs are the lines about what runs by itself after an object was created, or runs no more: materialized queries and
// the schedules of caches.
func runs(ch manifest.Change) (lines string) {
	show := []string{"incremental", "full"}
	if ch.Kind == manifest.KindQuery {
		show = []string{"type", "schedule"}
	}
	for _, f := range manifest.FieldsOf(cmp.Or(ch.Want, ch.Have)) {
		if slices.Contains(show, f.Name) && f.Value != "" && f.Value != "plain" {
			lines += fmt.Sprintf("    %s: %s\n", f.Name, visible(f.Value))
		}
	}
	return lines
}

// visible replaces control characters in a text from a project: a name must not look like a line of the output, or
// control the terminal.
func visible(s string) string { return string(term.Sanitize(nil, s)) }

func shown(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// counted describes the rows or values that are deleted with a table or column.
func counted(ch manifest.Change, what string) string {
	switch {
	case ch.Rows == nil:
		return " (with all its " + what + ")"
	case *ch.Rows == 0:
		return " (without " + what + ")"
	}
	return fmt.Sprintf(" (with %s)", phrase.Plural(int(*ch.Rows), "1 "+strings.TrimSuffix(what, "s"), "%d "+what))
}

// note is additional information about a change.
func note(ch manifest.Change) string {
	switch ch.Action {
	case manifest.Replace:
		return " (deleted and created again)"
	case manifest.Blocked:
		return " (cannot be changed; delete it first)"
	case manifest.Delete:
		switch ch.Kind {
		case manifest.KindTable, manifest.KindBITable:
			return counted(ch, "rows")
		case manifest.KindColumn, manifest.KindBIColumn:
			return counted(ch, "values")
		}
	case manifest.Create:
		if t, ok := ch.Want.(*manifest.Table); ok {
			return " (" + cmp.Or(phrase.Plural(len(t.Columns), "1 column", "%d columns"), "without columns") + ")"
		}
	}
	return ""
}
