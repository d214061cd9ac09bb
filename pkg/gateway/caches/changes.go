package caches

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/names"
)

// sourceNames are the names a refresh reads by. They are not the names users write, which may stand for the cache in a statement that
// runs at the same time.
type sourceNames struct {
	names.Resolver
	real engine.TableName
}

// live is the name of the source.
func (r sourceNames) live() engine.TableName {
	return engine.TableName{Catalog: cacheNames, Schema: "live", Table: r.real.String()}
}

// Lookup implements engine.Catalogs.
func (r sourceNames) Lookup(ctx context.Context, n engine.TableName) (engine.Source, error) {
	if n.Catalog != cacheNames {
		return r.Resolver.Lookup(ctx, n)
	}
	if r.real.Catalog == engine.SampleCatalog {
		return engine.Source{Ask: engine.Rows{Table: r.real}}, nil
	}
	return r.Resolver.Lookup(ctx, r.real)
}

// keyFault words the error of an engine about the key of a cache.
func keyFault(err error, key []string, table engine.TableName) error {
	var k *engine.KeyError
	if !errors.As(err, &k) {
		return err
	}
	name := strings.Join(key, ", ")
	if k.Missing > 0 {
		return fault.Cache(400, "", "the key (%s) is NULL in %s of %s: an incremental refresh cannot tell such rows apart; a full refresh can read them", name, some(k.Missing, "row"), table)
	}
	return fault.Cache(400, "", "the key (%s) is not unique in %s: %s more than once, such as %s; an incremental refresh cannot tell such rows apart", name, table,
		some(k.Twice, "value")+map[bool]string{true: " is there", false: " are there"}[k.Twice == 1], strings.Join(k.Example, ", "))
}

func some(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// keyNames are the columns that by their names tell the rows of a table apart.
func keyNames(table string) []string {
	return []string{"id", "_id", "uuid", table + "_id", strings.TrimSuffix(table, "s") + "_id"}
}
