package runs

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// stateUnknown is the state of an import whose reply was lost.
const stateUnknown = "UNKNOWN"

// mostImports is the number of imports that zone local tells.
const mostImports = 1000

// imports lists those that zone local has recorded, and elsewhere those that were sent from this machine.
func (l *listing) imports(ctx context.Context) ([]run, error) {
	if !l.e.Local() {
		return l.sent()
	}
	all, err := l.cl.ListImports(ctx, l.project, url.Values{"limit": {strconv.Itoa(min(l.limit, mostImports))}})
	if api.NoRoute(err) { // a gateway of an earlier release
		return l.sent()
	}
	return each.Map(all, func(x api.ImportRun) run {
		return run{StartedAt: x.CreatedAt, Kind: kindImport, Mode: x.Mode, Status: api.JobState(x.Status),
			DurationMs: &x.DurationMs, Rows: x.Rows, Error: x.Error, ID: x.ID,
			Name: api.InternalCatalogName + "." + x.SchemaName + "." + x.TableName}
	}), err
}

// sent lists the imports that were sent from this machine.
func (l *listing) sent() ([]run, error) {
	all, note, err := l.e.Changes()
	if err != nil {
		return nil, err
	}
	l.note = cmp.Or(note, "note: the imports are those of this machine: the gateway does not tell of imports")
	s := l.e.Run.Settings
	scope, err := l.e.Scope()
	if err != nil {
		return nil, err
	}
	var out []run
	for _, x := range all {
		if x.Operation != spec.ImportCsv.ID && x.Operation != spec.ImportBi.ID || x.Project != l.project ||
			x.Zone != s.Zone.Value || x.Address != s.BaseURL.Value || x.Data != scope.Data {
			continue
		}
		r := run{StartedAt: x.At.UTC().Format("2006-01-02T15:04:05.000Z"), Kind: kindImport, Name: importedTable(x),
			ID: x.ID}
		if x.Elapsed > 0 {
			r.DurationMs = &x.Elapsed
		}
		switch x.Outcome {
		case outcome.Done.String():
			r.Status = api.StateCompleted
		case outcome.Refused.String(), outcome.NotSent.String():
			r.Status = api.StateFailed
		default:
			r.Status = stateUnknown
		}
		why := x.Error
		if why == "" && r.Status == api.StateFailed && x.Status != 0 {
			why = fmt.Sprintf("answered with status %d", x.Status)
		}
		if why != "" {
			r.Error = &why
		}
		out = append(out, r)
	}
	return out, nil
}

// importedTable returns the table that an import was sent to, as in SQL.
func importedTable(x *journal.Change) string {
	_, rest, _ := strings.Cut(x.Path, "/projects/")
	parts := strings.Split(rest, "/") // project, kind, table, import
	if len(parts) < 3 {
		return x.Path
	}
	name, err := url.PathUnescape(parts[2])
	if err != nil {
		name = parts[2]
	}
	schema := api.SchemaTable
	if x.Operation == spec.ImportBi.ID {
		schema = api.SchemaBI
	}
	return api.InternalCatalogName + "." + schema + "." + name
}
