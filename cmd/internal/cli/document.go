package cli

import (
	"context"
	"io"

	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Importer is a method of the client that imports a document.
type Importer func(ctx context.Context, project, table string, req api.ImportRequest, name string,
	text io.Reader) (api.ImportJob, error)

// ImportDocument imports a document. A gateway in this process reads its records; to others its text is sent, through
// through if that is not nil. One that the gateway did not take is sent again, at most repeats times. asRows reports
// whether the positions in an error are those of the rows of the document.
func ImportDocument(ctx context.Context, send Importer, project, table string, req api.ImportRequest,
	doc *intake.Document, repeats int, through func(io.Reader) io.Reader) (job api.ImportJob, asRows bool, err error) {
	err = api.Again(ctx, repeats, true, func() error {
		d := &zone.Document{Document: doc}
		text := d.Text(func() (io.ReadCloser, error) { return doc.Text(ctx) })
		defer text.Close()
		body := io.Reader(text)
		if through != nil {
			body = through(text)
		}
		job, err = send(zone.WithDocument(ctx, d), project, table, req, doc.Name, body)
		asRows = d.Taken()
		return err
	})
	return job, asRows, err
}
