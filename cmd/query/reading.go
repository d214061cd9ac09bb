package query

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// readingFlags choose between stored rows and their sources.
type readingFlags struct{ stored, live bool }

func (f *readingFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.live, "live", false,
		"run the saved query again instead of reading its stored result; on zone local read sources, not caches")
	c.Flags().BoolVar(&f.stored, "stored", false,
		"read the stored result of the saved query; on zone local read caches, never a source")
	c.MarkFlagsMutuallyExclusive("live", "stored")
}

// check rejects the flags on hosted zones unless the statement is a saved query: only those can be read in two ways
// there.
func (f *readingFlags) check(e *cli.Env, st *statement) error {
	if !f.live && !f.stored || e.Local() {
		return nil
	}
	switch form := st.form.(type) {
	case api.ExecuteByID:
		return nil
	case api.ExecuteByName:
		if _, ok := savedName(form.QualifiedName); ok {
			return nil
		}
	}
	flag, _, _ := f.means()
	return exitcode.Usagef("%s requires --id or --name of a saved query on %s: only zone local can bypass a cache",
		flag, e.Run.Settings.Where())
}

// means returns the flag, the reading to send to zone local, and the schema that has the rows of the saved query.
func (f *readingFlags) means() (flag, reading, schema string) {
	if f.live {
		return "--live", "live", api.SchemaQuery
	}
	return "--stored", "stored", api.SchemaMtQuery
}

// apply makes --id and --name refer to the saved query's statement or its stored result, which works on every zone.
func (f *readingFlags) apply(ctx context.Context, q *querying, st *statement) error {
	if !f.live && !f.stored {
		return nil
	}
	_, _, schema := f.means()
	switch form := st.form.(type) {
	case api.ExecuteByID:
		saved, err := q.cl.Queries.Get(ctx, q.project, form.ID)
		if err != nil {
			return err
		}
		st.form = api.ExecuteByName{QualifiedName: api.InternalCatalogName + "." + schema + "." + saved.Name,
			Timeout: form.Timeout}
	case api.ExecuteByName:
		if name, ok := savedName(form.QualifiedName); ok {
			form.QualifiedName = api.InternalCatalogName + "." + schema + "." + name
			st.form = form
		}
	}
	return nil
}

// savedName returns the name of the saved query that a qualified name refers to.
func savedName(qualified string) (string, bool) {
	parts := strings.Split(strings.ReplaceAll(qualified, `"`, ""), ".")
	if len(parts) != 3 || !strings.EqualFold(parts[0], api.InternalCatalogName) {
		return "", false
	}
	return parts[2], strings.EqualFold(parts[1], api.SchemaQuery) || strings.EqualFold(parts[1], api.SchemaMtQuery)
}
