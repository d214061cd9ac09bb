package gateway_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/backups"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestBackupUnderLoad: while one writer stores the number i first in one project, then in another, then as a saved
// query, and others import, refresh a materialized query and read, each backup is of one moment: no later number of the
// order without the earlier ones, and all sums those of the counts.
func TestBackupUnderLoad(t *testing.T) {
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared %v", shared), func(t *testing.T) { backupUnderLoad(t, shared) })
	}
}

// Numbers from long on, loaded at a time, are imported beside the ones that count.
const (
	long   = 10_000_000_000_000_000
	loaded = 60_000
)

func backupUnderLoad(t *testing.T, shared bool) {
	dir, ctx := t.TempDir(), t.Context()
	g, cl := opened(t, dir, shared)
	second, err := cl.Projects.Create(ctx, gateway.DefaultOrganization, gateway.DefaultWorkspace,
		api.ProjectRequest{Name: gatewaytest.Ptr("second")})
	if err != nil {
		t.Fatal(err)
	}
	projects := []string{gateway.DefaultProject, second.ID}
	for _, p := range projects {
		for _, table := range []string{"numbers", "load"} {
			if _, err := cl.CreateWholeTable(ctx, p, table, false,
				[]api.ColumnRequest{{Name: "n", DataType: "BIGINT"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	mat := create(t, cl, gateway.DefaultProject, "mat", `SELECT sum(n) AS s, count(*) AS c FROM peaka."table".numbers`,
		"MATERIALIZED")
	var over atomic.Bool
	var all sync.WaitGroup
	rows := func(project, table string, list ...int) error {
		text := "n\n"
		for _, n := range list {
			text += strconv.Itoa(n) + "\n"
		}
		_, err := cl.Tables.Import(ctx, project, table, api.ImportRequest{ContainsHeader: true,
			Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}, "n.csv", strings.NewReader(text))
		return err
	}
	var last atomic.Int64
	all.Go(func() {
		for i := 1; !over.Load(); i++ {
			for _, p := range projects {
				if err := rows(p, "numbers", i); err != nil {
					t.Errorf("number %d in %s: %v", i, p, err)
					return
				}
			}
			create(t, cl, gateway.DefaultProject, fmt.Sprint("q", i), "SELECT 1 AS x", "")
			last.Store(int64(i))
		}
	})
	all.Go(func() {
		batch := make([]int, loaded) // of 18 bytes each, which is enough to be prepared in a stage
		for i := range batch {
			batch[i] = long + i
		}
		for !over.Load() {
			if err := rows(second.ID, "load", batch...); err != nil {
				t.Errorf("an import: %v", err)
				return
			}
			time.Sleep(time.Second) // each backup copies what is there
		}
	})
	all.Go(func() {
		for !over.Load() {
			if err := cl.Materialized.Refresh(ctx, gateway.DefaultProject, mat); err != nil &&
				gatewaytest.APIStatus(err) != 409 {
				t.Errorf("a refresh: %v", err)
				return
			}
			gatewaytest.OneValue(t, g, `SELECT sum(n) FROM peaka."table".numbers`)
			time.Sleep(50 * time.Millisecond)
		}
	})
	made := 0
	for seen := int64(0); made < 2 && !t.Failed(); {
		if n := last.Load(); n < seen+3 {
			time.Sleep(5 * time.Millisecond)
			continue
		} else {
			seen = n
		}
		into := filepath.Join(dir, fmt.Sprint(backups.TempPrefix, made), backups.FilesName)
		if err := os.MkdirAll(into, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := cl.Backup(ctx, into); err != nil {
			t.Fatalf("backup %d: %v", made, err)
		}
		made++
		elsewhere := filepath.Join(t.TempDir(), "data")
		if err := os.Rename(into, elsewhere); err != nil {
			t.Fatal(err)
		}
		sameMoment(t, elsewhere, projects, seen)
	}
	over.Store(true)
	all.Wait()
	t.Logf("%d backups, %d numbers", made, last.Load())
}

// sameMoment checks the numbers of a backup, which are at least least.
func sameMoment(t *testing.T, dir string, projects []string, least int64) {
	t.Helper()
	g, cl := opened(t, dir, false)
	var counts [3]int64
	for i, p := range projects {
		for _, table := range []string{"numbers", "load"} {
			sql := fmt.Sprintf(`SELECT count(*), coalesce(sum(n %% %d), 0), count(DISTINCT n) FROM peaka."table".%s`,
				long, table)
			list, err := gatewaytest.TextsOf(t.Context(), g, store.Project{ID: p}, sql)
			if err != nil {
				t.Fatal(err)
			}
			n, sum := number(t, list[0][0]), number(t, list[0][1])
			if table == "load" {
				if n%loaded != 0 || sum != n/loaded*((loaded-1)*loaded/2) {
					t.Errorf("the load of %s has %d rows and the sum %d", p, n, sum)
				}
				continue
			}
			if sum != n*(n+1)/2 || number(t, list[0][2]) != n {
				t.Errorf("project %d has %d numbers with the sum %d", i, n, sum)
			}
			counts[i] = n
		}
	}
	queries, err := cl.Queries.List(t.Context(), gateway.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	counts[2] = int64(len(queries)) - 1
	if a, b, q := counts[0], counts[1], counts[2]; a < b || b < q || a > q+1 || q < least {
		t.Errorf("the backup has %d and %d numbers and %d queries, at least %d were stored", a, b, q, least)
	}
	sum, err := gatewaytest.TextsOf(t.Context(), g, store.Project{ID: gateway.DefaultProject},
		`SELECT s, c FROM peaka.mtquery.mat`)
	if err != nil {
		if !strings.Contains(err.Error(), "has not run") && !strings.Contains(err.Error(), "does not exist") {
			t.Error(err)
		}
	} else if n := number(t, sum[0][1]); n > 0 && number(t, sum[0][0]) != n*(n+1)/2 {
		t.Errorf("the materialized query has %v", sum)
	}
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func opened(t *testing.T, dir string, shared bool) (*gateway.Gateway, *api.Client) {
	t.Helper()
	g, cl, _ := gatewaytest.OpenClient(t, func(o *gateway.Options) { o.Dir, o.Engine.Shared = dir, shared })
	return g, cl
}

func create(t *testing.T, cl *api.Client, project, name, sql, kind string) string {
	t.Helper()
	r := api.QueryRequest{DisplayName: &name, InputQuery: &sql}
	if kind != "" {
		r.QueryType = kind
	}
	q, err := cl.Queries.Create(context.Background(), project, r, nil)
	if err != nil {
		t.Errorf("query %s: %v", name, err)
	}
	return q.ID
}
