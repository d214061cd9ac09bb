package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/api"
)

// abandoned returns the tables of a kind, by name, whose import is not known to have stored rows: an import on this
// machine created them, and then was killed or lost a reply.
func abandoned(e *cli.Env, project, kind string) map[string]localstate.Import {
	l, err := imports(e, project)
	if err != nil {
		return nil
	}
	notes, err := l.Read()
	if err != nil {
		return nil // an import reports it
	}
	out := map[string]localstate.Import{}
	for key, note := range notes {
		rest, ok := strings.CutPrefix(key, kind+"\x00")
		if !ok || !note.Open || !note.Created {
			continue
		}
		release, err := l.Hold(key)
		if err != nil {
			continue // still running
		}
		release()
		name, _, _ := strings.Cut(rest, "\x00")
		out[name] = note
	}
	return out
}

// without removes a table of zone local that an import created and abandoned, if it has no rows. It does not remove
// tables of a hosted zone, where rows may still arrive.
func (m *tableCreation) without(ctx context.Context, t api.Table) (removed bool, err error) {
	if m.e.DryRun() || !m.e.Local() {
		return false, nil
	}
	note, ok := abandoned(m.e, m.project, m.k.noun)[strings.ToLower(t.TableName)]
	if !ok {
		return false, nil
	}
	if n, err := contents.Rows(ctx, m.cl, m.project, m.k.noun, t.TableName); err != nil || n > 0 {
		return false, err
	}
	if err := m.e.DropEmpty(ctx, m.cl, m.k.client(m.cl), m.project, t.TableName, m.k.bi()); err != nil {
		return false, err
	}
	forgetImports(m.e, m.project, m.k.noun, m.k.stored(m.name))
	fmt.Fprintf(m.e.Err,
		"the import of %s that created %s on %s was ended before it stored a row: the table is created again\n",
		note.File, t.TableName, note.At.Format("2006-01-02 15:04"))
	return true, nil
}

// noteAbandoned adds a note to a list of tables: which of them are empty because the import that created them did not
// complete.
func noteAbandoned(ctx context.Context, e *cli.Env, cl *api.Client, project, kind string, tables []api.Table,
	v cli.View) cli.View {
	if e.DryRun() {
		return v
	}
	left := abandoned(e, project, kind)
	var say []string
	for _, t := range tables {
		note, ok := left[strings.ToLower(t.TableName)]
		if !ok {
			continue
		}
		if n, err := contents.Rows(ctx, cl, project, kind, t.TableName); err == nil && n == 0 {
			say = append(say, fmt.Sprintf("%s is empty: the import of %s that created it on %s did not end; import "+
				"it again, or remove it: `%s %s delete %s`", t.TableName, note.File, note.At.Format("2006-01-02 15:04"),
				e.Name, kind, t.TableName))
		}
	}
	if len(say) > 0 {
		v = v.WithNote("%s", strings.Join(say, "\n"))
	}
	return v
}
