package runs

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// stateUnknown is the state of an import whose reply was lost.
const stateUnknown = "UNKNOWN"

// imports lists those that were sent from this machine.
func (l *listing) imports(context.Context) ([]run, error) {
	all, note, err := l.e.Changes()
	if err != nil {
		return nil, err
	}
	l.note = note
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
