package cache

import (
	"errors"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// trackingHelp explains the flags of cacheTracking.
const trackingHelp = `On the hosted zones the service decides how an incremental refresh detects changes. Zone local reads the
whole table and compares it, unless these flags are given:

  --key                 the table is read whole and compared by these columns
  --key --updated-at    only keys and rows with new or changed times are read
  --key --insert-only   only keys and rows with new keys are read

Deleted rows are removed in each case. A key that is NULL or not unique fails the refresh.
docs/caches.md has the details.`

// cacheTracking are the flags that configure how an incremental refresh detects changes.
type cacheTracking struct {
	key               []string
	updated           string
	insertOnly, noKey bool
}

func (f *cacheTracking) register(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.key, "key", nil, "columns that together identify a row (zone local)")
	c.Flags().StringVar(&f.updated, "updated-at", "",
		"column that increases with every insert and update of a row; requires --key")
	c.Flags().BoolVar(&f.insertOnly, "insert-only", false,
		"rows never change once they exist; requires an increasing --key")
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
		return exitcode.Usagef("--no-key cannot be used with --key, --updated-at or --insert-only")
	case !f.noKey && len(f.key) == 0:
		return exitcode.Usagef("%s requires --key", given)
	case f.insertOnly && f.updated != "":
		return exitcode.Usagef("--insert-only and --updated-at are mutually exclusive")
	}
	*into = &api.CacheTracking{KeyColumns: f.key, UpdatedAtColumn: f.updated, InsertOnly: f.insertOnly}
	return nil
}

// sameTracking treats nil in want as no change.
func sameTracking(want, have *api.CacheTracking) bool {
	if want == nil {
		return true
	}
	if have == nil {
		return len(want.KeyColumns) == 0
	}
	return slices.Equal(want.KeyColumns, have.KeyColumns) && want.UpdatedAtColumn == have.UpdatedAtColumn &&
		want.InsertOnly == have.InsertOnly
}

// explainCacheable explains why a table of a database cannot be cached, and that a table of the project itself needs no
// cache: the hosted zones answer the latter with an error about a table that was not in the request [L].
func explainCacheable(e *cli.Env, catalog string, err error) error {
	var ae *api.Error
	if errors.As(err, &ae) && ae.Status == 400 && (catalog == api.InternalCatalogID || catalog == api.QueryCatalogID) {
		copied := *ae
		copied.Hint = "internal tables and saved queries are stored by the gateway itself and need no cache; a " +
			"materialized query stores a result"
		return &copied
	}
	// a built-in catalog
	if !errors.As(err, &ae) || ae.Code != "TABLE_NOT_CACHEABLE" || !e.Local() || len(catalog) == 1 {
		return err
	}
	copied := *ae
	copied.Hint = "databases are cacheable in a catalog created with `dig catalog create NAME --connection " +
		"CONNECTION --cache-anything`"
	return &copied
}
