package names

import (
	"errors"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// The cache of a name is that of the table that the source has under it.
func TestCacheOf(t *testing.T) {
	upper, lower, mixed := store.CachedTable{Schema: "s", Table: "T", Stored: "upper"}, store.CachedTable{Schema: "s",
		Table: "t", Stored: "lower"}, store.CachedTable{Schema: "S", Table: "t", Stored: "mixed"}
	gone, ambiguous := errors.New("unreachable"), connector.ErrAmbiguous
	for i, c := range []struct {
		found         []store.CachedTable
		schema, table string // at the source
		fails         error
		want          string
	}{
		{nil, "s", "t", nil, ""},
		{[]store.CachedTable{lower}, "", "", gone, "lower"},
		{[]store.CachedTable{upper, lower}, "", "", gone, "lower"},
		{[]store.CachedTable{upper}, "s", "T", nil, "upper"},
		{[]store.CachedTable{upper}, "s", "t", nil, ""},
		{[]store.CachedTable{mixed}, "s", "t", nil, ""},
		{[]store.CachedTable{mixed}, "S", "t", nil, "mixed"},
		{[]store.CachedTable{upper}, "", "", gone, "upper"},
		{[]store.CachedTable{upper}, "", "", connector.ErrNoTable, "upper"},
		{[]store.CachedTable{upper}, "", "", ambiguous, ""},
		{[]store.CachedTable{upper, mixed}, "", "", gone, ""},
		{[]store.CachedTable{upper, mixed}, "S", "t", nil, "mixed"},
	} {
		got := ""
		if t := cacheOf(engine.TableName{Catalog: "c", Schema: "s", Table: "t"}, c.found, func() (string, string,
			error) {
			return c.schema, c.table, c.fails
		}); t != nil {
			got = t.Stored
		}
		if got != c.want {
			t.Errorf("%d: %+v: %q, want %q", i, c, got, c.want)
		}
	}
}
