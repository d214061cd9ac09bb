package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
)

// checkImport imports a file into a table of the same columns that lives in a temporary directory of this machine: hosted zones
// name the first bad value only [L], this names all of them. Nothing is sent, and rows that are stored already are not known.
func (e *Env) checkImport(ctx context.Context, cols []api.ColumnDetail, req api.ImportRequest, name string, csv io.Reader) (view, error) {
	dir, err := os.MkdirTemp("", "dig-check-")
	if err != nil {
		return view{}, err
	}
	defer os.RemoveAll(dir)
	gw, err := e.openGateway(dir)
	if err != nil {
		return view{}, err
	}
	defer gw.Close()
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: gw.Transport()})
	if err != nil {
		return view{}, err
	}
	var defs []api.ColumnRequest
	for _, c := range cols {
		if !systemColumn(c.Name) {
			defs = append(defs, api.ColumnRequest{Name: c.Name, DataType: strings.ToUpper(c.DataType), DefaultValue: c.DefaultValue, IsNotNull: &c.IsNotNull, IsUnique: &c.IsUnique})
		}
	}
	const table = "checked"
	if _, err := cl.Tables.Create(ctx, gateway.DefaultProject, table); err != nil {
		return view{}, err
	}
	if len(defs) > 0 {
		if _, err := cl.Tables.AddColumns(ctx, gateway.DefaultProject, table, defs); err != nil {
			return view{}, err
		}
	}
	job, err := cl.Tables.Import(ctx, gateway.DefaultProject, table, req, name, csv)
	var ae *api.Error
	if errors.As(err, &ae) { // nothing was sent, so there is no HTTP status
		here := *ae
		here.Status = 0
		err = &here
	}
	if err != nil {
		return view{}, err
	}
	return note("%s fits: %d rows; nothing was sent", name, job.Result.Processed), nil
}
