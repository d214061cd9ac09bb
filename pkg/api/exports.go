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

// StartQuery runs POST /data/projects/{projectId}/queries/{queryId}/exports. The job is still running when it returns.
func (s *ExportsService) StartQuery(ctx context.Context, project, query string,
	body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportQuery.At(project, query), body)
}

// StartTable runs POST /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/exports.
// Catalog "1" with schema table or bitable exports internal tables [L].
func (s *ExportsService) StartTable(ctx context.Context, project, catalog, schema, table string,
	body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportTable.At(project, catalog, schema, table), body)
}

// List runs GET /data/projects/{projectId}/exports, newest first and without files. Parameters: status
// (comma-separated), limit (clamped to 1..200), createdBefore (the createdAt of the last job of the previous page) [O].
func (s *ExportsService) List(ctx context.Context, project string, params url.Values) ([]ExportJobResponse, error) {
	return callList[ExportJobResponse](ctx, s.c, spec.ListExports.At(project).WithQuery(params), nil)
}

// Get runs GET /data/projects/{projectId}/exports/{exportId}. Every read creates fresh links to the files.
func (s *ExportsService) Get(ctx context.Context, project, export string) (ExportJobResponse, error) {
	return call[ExportJobResponse](ctx, s.c, spec.GetExport.At(project, export), nil)
}

// Cancel runs DELETE /data/projects/{projectId}/exports/{exportId}. It is not an error for a job that has ended [O].
func (s *ExportsService) Cancel(ctx context.Context, project, export string) error {
	return run(ctx, s.c, spec.CancelExport.At(project, export), nil)
}

// Open opens a file of a finished export at a byte offset and returns the reply: 200 with the whole file (only for
// offset 0, or from a server without ranges) or 206 with the rest. A link carries its own signature and is followed
// without the key; links checks its destination, and that of its redirects. A part is requested only of the file
// version identified by version, the ETag or the date of an earlier reply; any other version is returned as a whole,
// with 200.
func (s *ExportsService) Open(ctx context.Context, f ExportFile, offset int64, version string) (*Reply, error) {
	u, err := url.Parse(f.URL)
	if err != nil || u.Host == "" {
		return nil, &Error{Kind: KindProtocol, Message: "the link to file " + f.Name + " is not an address"}
	}
	header := http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"identity"}}
	if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		if version != "" {
			header.Set("If-Range", version)
		}
	}
	where := u.Scheme + "://" + u.Host + u.Path // without the signature, which gives access to the file
	var rep *Reply
	if path, own := strings.CutPrefix(where, s.c.base+"/"); own {
		rep, err = s.c.do(context.WithValue(ctx, noKey{}, true), http.MethodGet, "/"+path, u.Query(), header, nil,
			s.c.limits.call, s.c.limits.download)
	} else {
		rep, err = watched(ctx, http.MethodGet, where, s.c.limits.call, s.c.limits.download,
			func(w *watch) (*Reply, error) {
				return s.c.openLink(w.ctx, u, where, header)
			})
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

// FileVersion returns the version of the file of a reply: the strong ETag, else the Last-Modified date,
// else "".
func FileVersion(rep *Reply) string {
	if tag := rep.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return rep.Header.Get("Last-Modified")
}
