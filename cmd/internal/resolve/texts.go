package resolve

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// NameAndID describes an object by its name and id, or by its id alone if the name is unknown.
func NameAndID(name, id string) string {
	if name == "" || name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// mostNamed is the maximum number of objects that a prompt lists by name; above it, only their count is shown.
const mostNamed = 10

// Counted lists objects by name, or only counts them when there are many: "2 caches (a, b)".
func Counted(names []string, one, many string) string {
	if len(names) == 0 {
		return ""
	}
	text := strings.TrimSpace(Plural(len(names), one, many))
	if len(names) > mostNamed {
		return text
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// CachesOf returns the names of the caches of a catalog.
func CachesOf(ctx context.Context, cl *api.Client, project, catalog string) ([]string, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	var names []string
	for _, st := range all {
		if api.JobState(st.Status) != api.StateDeleted {
			names = append(names, st.SchemaName+"."+st.TableName)
		}
	}
	return names, err
}

// Plural formats a count, or returns "" for zero; many contains %d.
func Plural(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return one
	}
	return fmt.Sprintf(many, n)
}
