package table

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// checkImport imports a file into a table with the same columns in a temporary directory of this machine: hosted zones
// report the first bad value only [L], this reports all of them. Nothing is sent, and existing rows are not considered.
func checkImport(ctx context.Context, e *cli.Env, cols []api.ColumnDetail, req api.ImportRequest,
	doc *document) (cli.View, error) {
	dir, done, err := tempfile.MkdirTemp("dig-check-")
	if err != nil {
		return cli.View{}, err
	}
	defer done()
	gw, err := e.OpenGateway(filepath.Join(dir, "data"), false)
	if errors.Is(err, syscall.ENOSPC) {
		return cli.View{}, noSpaceToCheck(dir, err)
	}
	if err != nil {
		return cli.View{}, err
	}
	defer gw.Close()
	cl, err := api.New(api.Options{BaseURL: zone.BaseURL, Transport: gw.Transport()})
	if err != nil {
		return cli.View{}, err
	}
	var defs []api.ColumnRequest
	for _, c := range cols {
		if !rowset.SystemColumn(c.Name) {
			defs = append(defs, api.ColumnRequest{Name: c.Name, DataType: strings.ToUpper(c.DataType),
				Widens: &c.Widens, DefaultValue: c.DefaultValue, IsNotNull: &c.IsNotNull, IsUnique: &c.IsUnique})
		}
	}
	const table = "checked"
	if _, err := cl.Tables.Create(ctx, zone.DefaultProject, table); fullDisk(err) {
		return cli.View{}, noSpaceToCheck(dir, err)
	} else if err != nil {
		return cli.View{}, err
	}
	if len(defs) > 0 {
		if _, err := cl.Tables.AddColumns(ctx, zone.DefaultProject, table, defs); err != nil {
			return cli.View{}, err
		}
	}
	var job api.ImportJob
	job, doc.asRows, err = cli.ImportDocument(ctx, cl.Tables.Import, zone.DefaultProject, table, req, doc.Document,
		0, nil)
	if fullDisk(err) {
		return cli.View{}, noSpaceToCheck(dir, err)
	}
	var ae *api.Error
	if errors.As(err, &ae) { // nothing was sent, so there is no HTTP status
		here := *ae
		here.Status = 0
		err = &here
	}
	if err != nil {
		return cli.View{}, doc.located(ctx, err)
	}
	return cli.Note("%s is valid: %d rows; nothing was sent", doc.Name, job.Result.Processed), nil
}

// noSpaceToCheck is the error of a check without space for temporary files.
func noSpaceToCheck(dir string, err error) error {
	return noTempSpace("the file cannot be checked", filepath.Dir(dir), err)
}

// noTempSpace is the error of what has no space for temporary files: neither the data directory nor the gateway has to
// do with it.
func noTempSpace(what, temp string, err error) error {
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "disk-full",
		Msg:  what + ": no space is left for temporary files in " + temp,
		Hint: "free some space, or set TMPDIR to another directory; nothing was sent", Err: errors.New(err.Error())}
}

// checkBefore checks a document before it is sent to a hosted zone, where an error costs a whole upload and names only
// the first bad value. It fails only if values do not fit; if they cannot be checked, that is left to the zone.
func checkBefore(ctx context.Context, e *cli.Env, cols []api.ColumnDetail, req api.ImportRequest, doc *document) error {
	if f := &e.Run.Flags; !e.Zone.Available || !e.MayDropRows() || f.DryRun || f.Explain || !strict(cols, req) {
		return nil
	}
	_, err := checkImport(ctx, e, cols, req, doc)
	var ae *api.Error
	switch {
	case errors.As(err, &ae) && ae.Kind == api.KindInvalid:
		bad := *ae
		bad.Hint = "nothing was sent; --no-check sends the file without this check"
		return &bad
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		fmt.Fprintf(e.Err, "note: %s was not checked before sending: %v\n", doc.Name, err)
	}
	return nil
}

// strict reports whether any value could fail to fit the mapped columns.
func strict(cols []api.ColumnDetail, req api.ImportRequest) bool {
	return slices.ContainsFunc(cols, func(c api.ColumnDetail) bool {
		mapped := slices.ContainsFunc(req.Mappings, func(m api.ImportMapping) bool { return m.Name == c.Name })
		return !rowset.SystemColumn(c.Name) && (c.IsNotNull || mapped &&
			(c.IsUnique || !strings.EqualFold(c.DataType, "varchar")))
	})
}
