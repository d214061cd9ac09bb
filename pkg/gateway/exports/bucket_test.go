package exports_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// openBucket opens a gateway whose exports are in a bucket.
func openBucket(t *testing.T) (*s3test.Store, *gateway.Gateway, *api.Client, *atomic.Int64) {
	t.Helper()
	s := s3test.New(t)
	b, err := files.OpenBucket(files.Options{Address: "s3://lake/dig", Getenv: s.Getenv, PartSize: 4096,
		Silence: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	g, cl, ahead := gatewaytest.OpenClient(t, func(o *gateway.Options) { o.Bucket = b })
	return s, g, cl, ahead
}

func start(t *testing.T, cl *api.Client, sql string) string {
	t.Helper()
	id, err := gatewaytest.StartExport(t, cl, sql, api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const manyRows = "SELECT x, 'a text' AS s FROM UNNEST(sequence(1, 5000)) AS t(x)"

// TestBucket: a file is an object as long as its export has one, and an object that is gone is an error.
func TestBucket(t *testing.T) {
	s, g, cl, ahead := openBucket(t)
	ctx := context.Background()
	id := start(t, cl, manyRows)
	job := gatewaytest.Ended(t, cl, id)
	whole := gatewaytest.FileOf(t, cl, job)
	if text := string(whole); strings.Count(text, "\n") != 5001 || !strings.HasSuffix(text, "5000,a text\n") {
		t.Errorf("%d bytes", len(text))
	}
	if keys := strings.Join(s.Keys(), " "); !strings.HasPrefix(keys, "dig/exports/") ||
		!strings.HasSuffix(keys, "/"+id) {
		t.Errorf("%q", keys)
	}
	rep, err := cl.Exports.Open(ctx, job.Files[0], 50_000, "")
	if err != nil {
		t.Fatal(err)
	}
	defer rep.Body.Close()
	if rest, err := io.ReadAll(rep.Body); err != nil || string(rest) != string(whole[50_000:]) {
		t.Errorf("from a place of it: %d bytes, %v", len(rest), err)
	}
	g.Jobs.RunDuties(ctx)
	gatewaytest.FileOf(t, cl, job)
	damaged := func() (ids []string) {
		found, err := gateway.Verify(ctx, g.Options, zone.Look)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Part == "export" {
				ids = append(ids, f.Name)
			}
		}
		return ids
	}
	if ids := damaged(); len(ids) > 0 {
		t.Errorf("damaged: %q", ids)
	}
	s.Remove(s.Keys()[0])
	if ids := damaged(); !slices.Equal(ids, []string{id}) {
		t.Errorf("damaged: %q, want %s", ids, id)
	}
	if _, err := cl.Exports.Open(ctx, job.Files[0], 0, ""); err == nil ||
		!strings.Contains(err.Error(), "no longer exists") {
		t.Errorf("an object that is gone: %v", err)
	}

	gatewaytest.Ended(t, cl, start(t, cl, manyRows))
	ahead.Add(int64(25 * time.Hour))
	if err := g.Exports.SweepExports(ctx); err != nil {
		t.Fatal(err)
	}
	if keys := s.Keys(); len(keys) != 1 {
		t.Errorf("a sweep leaves what has not expired yet: %q", keys)
	}
	g.Jobs.RunDuties(ctx)
	if keys := s.Keys(); len(keys) > 0 {
		t.Errorf("expired: %q", keys)
	}
}

// TestBucketFails: an export that the store refuses has failed, and leaves nothing. A link says what is wrong.
func TestBucketFails(t *testing.T) {
	s, g, cl, _ := openBucket(t)
	ctx := context.Background()
	done := gatewaytest.Ended(t, cl, start(t, cl, manyRows))
	kept := s.Keys()
	var fault atomic.Pointer[func(*http.Request) (status int, code string)]
	s.Fault = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if f := fault.Load(); f != nil {
			if status, code := (*f)(r); status > 0 {
				s3test.Deny(w, status, code)
				return true
			}
		}
		return false
	}
	set := func(f func(*http.Request) (int, string)) { fault.Store(&f) }
	clean := func(said string) {
		t.Helper()
		if !strings.Contains(said, "s3://lake/dig at "+s.URL) || strings.Contains(said, s3test.Secret) ||
			strings.Contains(said, s3test.KeyID) {
			t.Errorf("it says %q", said)
		}
	}

	set(func(r *http.Request) (int, string) {
		if r.URL.Query().Get("partNumber") == "3" {
			return 403, "AccessDenied"
		}
		return 0, ""
	})
	id := start(t, cl, manyRows)
	if job := gatewaytest.Ended(t, cl, id); job.Status != "FAILED" || !strings.Contains(*job.Error, "AccessDenied") {
		t.Errorf("%+v", job)
	} else {
		clean(*job.Error)
	}
	g.Jobs.Running.Wait()
	if left := s.Keys(); !slices.Equal(left, kept) {
		t.Errorf("%q, want %q", left, kept)
	}

	for _, c := range []struct {
		status int
		code   string
		want   int
	}{{503, "SlowDown", 503}, {403, "AccessDenied", 500}} {
		set(func(*http.Request) (int, string) { return c.status, c.code })
		_, err := cl.Exports.Open(ctx, done.Files[0], 0, "")
		if e := new(api.Error); !errors.As(err, &e) || e.Status != c.want {
			t.Errorf("a link while the store answers %d: %v", c.status, err)
		} else {
			clean(err.Error())
		}
		if err := g.Exports.SweepExports(ctx); err == nil {
			t.Error("a sweep of a store that does not answer")
		}
	}
	set(func(*http.Request) (int, string) { return 0, "" })
	gatewaytest.FileOf(t, cl, done)
}

// TestBucketCutOff: what a gateway that was killed has left of an upload goes, and no link serves it.
func TestBucketCutOff(t *testing.T) {
	s, g, cl, _ := openBucket(t)
	ctx := context.Background()
	x, err := g.Store.CreateExport(ctx, store.Export{ProjectID: store.DefaultProject, Runner: "a-process-that-died",
		Format: "CSV", Compression: "NONE", Source: "TABLE", FileName: "x.csv"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := g.Exports.Files.Create(ctx, x.ID)
	if err == nil {
		_, err = f.Write(make([]byte, 10_000))
	}
	if err != nil || len(s.Keys()) != 1 {
		t.Fatal(s.Keys(), err)
	}
	job := gatewaytest.Ended(t, cl, x.ID)
	if job.Status != "FAILED" || *job.Error != jobs.CutOff || len(job.Files) > 0 {
		t.Errorf("%+v", job)
	}
	if left := s.Keys(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if err := f.Commit(ctx); err == nil { // of a process that hung
		t.Error("an upload that was ended is complete")
	}
}
