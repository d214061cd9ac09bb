package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/pkg/spec"
)

// ExportsService starts, reads and cancels exports, and opens their files.
type ExportsService struct{ c *Client }

// StartQuery runs POST /data/projects/{projectId}/queries/{queryId}/exports. The job is only begun when it returns.
func (s *ExportsService) StartQuery(ctx context.Context, project, query string, body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportQuery.At(project, query), body)
}

// StartTable runs POST /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/exports.
// Catalog "1" with schema table or bitable exports internal tables [L].
func (s *ExportsService) StartTable(ctx context.Context, project, catalog, schema, table string, body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportTable.At(project, catalog, schema, table), body)
}

// List runs GET /data/projects/{projectId}/exports, newest first and without files. Parameters: status (comma list), limit
// (clamped to 1..200), createdBefore (the createdAt of the last job of the page before) [O].
func (s *ExportsService) List(ctx context.Context, project string, params url.Values) ([]ExportJobResponse, error) {
	return callList[ExportJobResponse](ctx, s.c, spec.ListExports.At(project).WithQuery(params), nil)
}

// Get runs GET /data/projects/{projectId}/exports/{exportId}. Every read makes fresh links to the files.
func (s *ExportsService) Get(ctx context.Context, project, export string) (ExportJobResponse, error) {
	return call[ExportJobResponse](ctx, s.c, spec.GetExport.At(project, export), nil)
}

// Cancel runs DELETE /data/projects/{projectId}/exports/{exportId}. It is no error for a job that has ended [O].
func (s *ExportsService) Cancel(ctx context.Context, project, export string) error {
	return run(ctx, s.c, spec.CancelExport.At(project, export), nil)
}

// Open opens a file of a finished export at a byte offset and returns the reply: 200 with the whole file (only for offset 0, or
// from a store that has no ranges) or 206 with the rest. A link to another host than the gateway's is followed without the key, and
// over https only, or on this machine from a gateway on it; so are its redirects.
func (s *ExportsService) Open(ctx context.Context, f ExportFile, offset int64) (*Reply, error) {
	u, err := url.Parse(f.URL)
	if err != nil || u.Host == "" {
		return nil, &Error{Kind: KindProtocol, Message: "the link to file " + f.Name + " is not an address"}
	}
	header := http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"identity"}}
	if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	where := u.Scheme + "://" + u.Host + u.Path // without the signature, which opens the file
	var rep *Reply
	if path, own := strings.CutPrefix(where, s.c.base+"/"); own {
		rep, err = s.c.Do(ctx, http.MethodGet, "/"+path, u.Query(), header, nil)
	} else {
		rep, err = openForeign(ctx, s.c.base, u, where, header)
	}
	if err != nil {
		return nil, err
	}
	if rep.Status != http.StatusOK && rep.Status != http.StatusPartialContent {
		defer rep.Body.Close()
		return nil, ReadError(http.MethodGet, where, rep)
	}
	return rep, nil
}

// foreign calls the places where gateways keep files. It has no key.
func foreign(base string) *http.Client {
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return &Error{Kind: KindProtocol, Message: "the link to the file redirects again and again"}
		}
		return checkLink(base, req.URL)
	}}
}

// checkLink lets links over https through, and plain ones to this machine where the gateway itself is on it: another one must not
// have the programs of this machine called.
func checkLink(base string, u *url.URL) error {
	at, err := url.Parse(base)
	if u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()) && err == nil && isLoopback(at.Hostname()) {
		return nil
	}
	return &Error{Kind: KindProtocol, URL: u.Scheme + "://" + u.Host + u.Path, Message: "the link to the file is not https"}
}

func openForeign(ctx context.Context, base string, u *url.URL, where string, header http.Header) (*Reply, error) {
	if err := checkLink(base, u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = header
	res, err := foreign(base).Do(req) //nolint:bodyclose // the caller closes it
	if err != nil {
		return nil, transportError(ctx, http.MethodGet, where, root(err))
	}
	return &Reply{Status: res.StatusCode, Header: res.Header, Body: res.Body, most: maxReply}, nil
}
