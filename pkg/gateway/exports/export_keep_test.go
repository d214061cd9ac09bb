package exports_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestExportStatusReadsNoFiles: a look at one export leaves the directory of files alone, which may hold very many. A
// file that belongs to no job shows whether it was read.
func TestExportStatusReadsNoFiles(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	job := gatewaytest.Ended(t, cl, id)
	left := filepath.Join(exportDir(g), "nobody's")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Exports.Get(ctx, gatewaytest.Local, id); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Exports.List(ctx, gatewaytest.Local, nil); err != nil {
		t.Fatal(err)
	}
	gatewaytest.FileOf(t, cl, job)
	if _, err := os.Stat(left); err != nil {
		t.Errorf("the directory was walked to look at one export: %v", err)
	}
	if err := g.Exports.SweepExports(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a file that belongs to no job stays: %v", err)
	}
	gatewaytest.FileOf(t, cl, gatewaytest.Ended(t, cl, id))
}

// TestExportOutlivesPowerCut: an export counts as done when the name of its file is on disk, not before, and fails when
// it does not get there.
func TestExportOutlivesPowerCut(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	var fails error
	looked := 0
	g.Exports.Files.(*files.Folder).SyncDir = func(dir string) error {
		looked++
		if dir != exportDir(g) {
			t.Errorf("%s is synced", dir)
		}
		all, err := cl.Exports.List(context.Background(), gatewaytest.Local, nil)
		if err != nil {
			return err
		}
		for _, x := range all {
			if x.Status == "RUNNING" {
				if _, err := os.Stat(filepath.Join(exportDir(g), x.ID)); err != nil {
					t.Errorf("the file has no name yet: %v", err)
				}
				return fails
			}
		}
		t.Error("the job is done before its file is")
		return fails
	}
	for _, fails = range []error{nil, errors.New("the disk is gone")} {
		id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		job := gatewaytest.Ended(t, cl, id)
		if want := map[bool]string{true: "SUCCEEDED", false: "FAILED"}[fails == nil]; job.Status != want {
			t.Errorf("%s, want %s", job.Status, want)
		}
		if _, err := os.Stat(filepath.Join(exportDir(g), id)); (err == nil) != (fails == nil) {
			t.Errorf("the file of an export that ended with %v: %v", fails, err)
		}
	}
	if looked != 2 {
		t.Errorf("synced %d times", looked)
	}
}

// TestOldExportsAreForgotten: a job without a file leaves the list a month after it was made.
func TestOldExportsAreForgotten(t *testing.T) {
	_, cl, ahead := gatewaytest.OpenClient(t)
	ctx := context.Background()
	for _, sql := range []string{"SELECT 1 AS n", "SELECT 1 / 0 AS n"} {
		id, err := gatewaytest.StartExport(t, cl, sql, api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		gatewaytest.Ended(t, cl, id)
	}
	for _, step := range []struct {
		days int
		want string
	}{{0, "FAILED SUCCEEDED"}, {2, "FAILED EXPIRED"}, {29, "FAILED EXPIRED"}, {31, ""}} {
		ahead.Store(int64(step.days) * 24 * int64(time.Hour))
		list, err := cl.Exports.List(ctx, gatewaytest.Local, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, x.Status)
		}
		if strings.Join(got, " ") != step.want {
			t.Errorf("after %d days: %v", step.days, got)
		}
	}
}

// TestExportsAreBounded: the files of exports take no more than the bound; the oldest go, and one that is larger by
// itself fails.
func TestExportsAreBounded(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	g.Exports.Limits.Exports = 2500
	var ids []string
	for i := range 4 {
		id, err := gatewaytest.StartExport(t, cl, fmt.Sprintf("SELECT '%s' AS s", strings.Repeat(fmt.Sprint(i), 1000)),
			api.ExportRequest{})
		if err != nil {
			t.Fatal(err)
		}
		gatewaytest.Ended(t, cl, id)
		g.Jobs.Running.Wait()
		ids = append(ids, id)
	}
	for i, want := range []string{"EXPIRED", "EXPIRED", "SUCCEEDED", "SUCCEEDED"} {
		if job := gatewaytest.Ended(t, cl, ids[i]); job.Status != want {
			t.Errorf("export %d is %s", i, job.Status)
		}
	}
	if left, _ := os.ReadDir(exportDir(g)); len(left) != 2 {
		t.Errorf("%d files", len(left))
	}
	id, err := gatewaytest.StartExport(t, cl, "SELECT '"+strings.Repeat("x", 2501)+"' AS s", api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if job := gatewaytest.Ended(t, cl, id); job.Status != "FAILED" || !strings.Contains(*job.Error, "--max-exports") {
		t.Errorf("a file larger than the bound: %s %v", job.Status, job.Error)
	}
}
