package exports

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// The files of exports are downloaded by signed links, so that a browser or another program can follow them without a
// key.
const (
	downloadPath = web.BasePath + "/downloads/"
	downloadLife = 15 * time.Minute
)

// downloadURL signs a link to the file of a job under the address that the request was sent to.
func (s *Service) downloadURL(ctx context.Context, hr *http.Request, x store.Export) (string, error) {
	expires := strconv.FormatInt(s.Now().Add(downloadLife).Unix(), 10)
	sig, err := s.DownloadSignature(x.ID, x.FileName, expires)
	if err != nil {
		return "", err
	}
	host := hr.Host
	if host == "" {
		host = "localhost"
	}
	scheme := "http"
	// A proxy that ends TLS says so. What else a caller claims concerns the link in its own reply only.
	if hr.TLS != nil || strings.EqualFold(hr.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: host, Path: downloadPath + x.ID + "/" + x.FileName,
		RawQuery: url.Values{"expires": {expires}, "signature": {sig}}.Encode()}
	return u.String(), nil
}

func (s *Service) DownloadSignature(id, name, expires string) (string, error) {
	key, err := s.Sources.Vault.Derive("links to the files of exports")
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s\n%s\n%s", id, name, expires)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)), nil
}

// download serves the file of a finished export, whole or in ranges, to anyone with a link that is signed and has not
// expired.
func (s *Service) download(w http.ResponseWriter, hr *http.Request) {
	if err := s.serveDownload(w, hr); err != nil {
		s.Web.Fail(w, hr, err)
	}
}

func (s *Service) serveDownload(w http.ResponseWriter, hr *http.Request) error {
	ctx, id, name, q := hr.Context(), hr.PathValue("id"), hr.PathValue("name"), hr.URL.Query()
	want, err := s.DownloadSignature(id, name, q.Get("expires"))
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(want), []byte(q.Get("signature"))) {
		return fault.Framework(403, "the link's signature is not valid")
	}
	expires, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err != nil || s.Now().Unix() >= expires {
		return fault.Framework(403, "the link has expired; read the export again for a fresh one")
	}
	if err := s.tidyExports(ctx); err != nil {
		return err
	}
	x, err := s.Store.Export(ctx, "", id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (x.Status != store.ExportSucceeded || x.FileName != name) {
		return fault.Data(404, "the file of export %s no longer exists", id)
	}
	if err != nil {
		return err
	}
	f, err := s.Files.Open(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Data(404, "the file of export %s no longer exists", id)
	}
	if err != nil {
		return unstored(err)
	}
	defer f.Close()
	kind := "text/csv; charset=utf-8"
	switch {
	case x.Compression == gzipped:
		kind = "application/gzip"
	case x.Format == formatJSONL:
		kind = "application/x-ndjson"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("ETag", `"`+id+`"`)
	h.Set("Cache-Control", "private, no-store")
	if unit, set, ok := strings.Cut(hr.Header.Get("Range"), "="); ok && strings.EqualFold(unit, "bytes") {
		// all that ServeContent supports; it rejects other units, which must be ignored
		hr.Header.Set("Range", "bytes="+set)
	} else {
		hr.Header.Del("Range")
	}
	read := &noted{Content: f}
	http.ServeContent(w, hr, "", f.Made(), read)
	if read.err != nil && ctx.Err() == nil {
		s.Log.Error("the file of an export is not read to its end", "id", id, "error", read.err.Error())
	}
	return nil
}

// noted notes the error that ends a reply, which ServeContent does not report.
type noted struct {
	files.Content
	err error
}

func (n *noted) Read(p []byte) (int, error) {
	k, err := n.Content.Read(p)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// unstored is the reply for a call that the object store has failed.
func unstored(err error) error {
	var e *files.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Away {
		f := fault.Data(503, "%v", e)
		f.Code, f.Hint = api.CodeUnchanged, "nothing was changed: it can be repeated"
		return f
	}
	f := fault.Data(500, "%v", e)
	f.Code, f.Hint = api.CodeLasting, "the operator of the gateway sets where the files of exports are"
	return f
}
