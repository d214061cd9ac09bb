package cache

import (
	"errors"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// trackingHelp says what the flags of cacheTracking are for.
const trackingHelp = `How an incremental refresh finds what changed is the service's matter on the hosted zones. Zone local reads the
whole table and compares it, unless it is told more:

  --key                 the table is read whole and compared by these columns
  --key --updated-at    only keys and the rows of new or changed times are read
  --key --insert-only   only keys and the rows of new keys are read

Deleted rows go in each case. A key that is NULL or not unique fails the refresh. docs/caches.md has the details.`

// cacheTracking are the flags that say how an incremental refresh finds what changed.
type cacheTracking struct {
	key               []string
	updated           string
	insertOnly, noKey bool
}

func (f *cacheTracking) register(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.key, "key", nil, "columns that together tell rows apart (zone local)")
	c.Flags().StringVar(&f.updated, "updated-at", "", "column that every insertion and change of a row raises; needs --key")
	c.Flags().BoolVar(&f.insertOnly, "insert-only", false, "rows never change once they are there; needs a --key that rises")
	c.Flags().BoolVar(&f.noKey, "no-key", false, "compare whole rows, as without --key")
}

func (f *cacheTracking) apply(e *cli.Env, c *cobra.Command, into **api.CacheTracking) error {
	given := ""
	for _, name := range []string{"key", "updated-at", "insert-only", "no-key"} {
		if c.Flags().Changed(name) {
			given = "--" + name
		}
	}
	if given == "" && *into == nil {
		return nil
	}
	if given == "" {
		given = "changeTracking"
	}
	if err := e.OnlyLocal(given); err != nil {
		return err
	}
	if given == "changeTracking" {
		return nil
	}
	switch {
	case f.noKey && (len(f.key) > 0 || f.updated != "" || f.insertOnly):
		return cli.Usagef("--no-key excludes --key, --updated-at and --insert-only")
	case !f.noKey && len(f.key) == 0:
		return cli.Usagef("%s needs --key", given)
	case f.insertOnly && f.updated != "":
		return cli.Usagef("--insert-only and --updated-at exclude each other")
	}
	*into = &api.CacheTracking{KeyColumns: f.key, UpdatedAtColumn: f.updated, InsertOnly: f.insertOnly}
	return nil
}

// sameTracking takes nil in what is wanted for no change.
func sameTracking(want, have *api.CacheTracking) bool {
	if want == nil {
		return true
	}
	if have == nil {
		return len(want.KeyColumns) == 0
	}
	return slices.Equal(want.KeyColumns, have.KeyColumns) && want.UpdatedAtColumn == have.UpdatedAtColumn && want.InsertOnly == have.InsertOnly
}

// explainCacheable says what can be done about a table of a database, and that one of the project's own needs no cache: the hosted zones
// answer that with a complaint about a table that nobody named [L].
func explainCacheable(e *cli.Env, catalog string, err error) error {
	var ae *api.Error
	if errors.As(err, &ae) && ae.Status == 400 && (catalog == "1" || catalog == "2") {
		copied := *ae
		copied.Hint = "internal tables and saved queries are stored by the gateway itself and need no cache; a materialized query keeps a result"
		return &copied
	}
	if !errors.As(err, &ae) || ae.Code != "TABLE_NOT_CACHEABLE" || e.OnlyLocal("") != nil || len(catalog) == 1 { // a built-in catalog
		return err
	}
	copied := *ae
	copied.Hint = "databases are cacheable in a catalog made with `dig catalog create NAME --connection CONNECTION --cache-anything`"
	return &copied
}
