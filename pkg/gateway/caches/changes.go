package caches

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/merge"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// sourceNames resolves the names in the statements of a refresh. A refresh names its source differently from users,
// because the names that users write may refer to the cache in a concurrent statement.
type sourceNames struct {
	names.Resolver
	real engine.TableName
}

// live returns the name under which a refresh reads the source.
func (r sourceNames) live() engine.TableName {
	return engine.TableName{Catalog: cacheNames, Schema: "live", Table: r.real.String()}
}

// Lookup implements sql.Catalogs.
func (r sourceNames) Lookup(ctx context.Context, n engine.TableName) (sql.Source, error) {
	if n.Catalog != cacheNames {
		return r.Resolver.Lookup(ctx, n)
	}
	return r.Resolver.Lookup(ctx, r.real)
}

// keyFault converts the engine's error about the key of a cache to a response; it returns other errors unchanged.
func keyFault(err error, key []string, table engine.TableName) error {
	var k *merge.KeyError
	if !errors.As(err, &k) {
		return err
	}
	name := strings.Join(key, ", ")
	if k.Missing > 0 {
		return fault.Cache(400, "", "the key (%s) is NULL in %s of %s: an incremental refresh cannot distinguish "+
			"such rows; a full refresh can read them", name, some(k.Missing, "row"), table)
	}
	return fault.Cache(400, "", "the key (%s) is not unique in %s: %s more than once, such as %s; an incremental "+
		"refresh cannot distinguish such rows", name, table,
		some(k.Twice, "value")+map[bool]string{true: " is there", false: " are there"}[k.Twice == 1],
		strings.Join(k.Example, ", "))
}

func some(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// keyNames are column names that typically identify a row.
func keyNames(table string) []string {
	return []string{"id", "_id", "uuid", table + "_id", strings.TrimSuffix(table, "s") + "_id"}
}
