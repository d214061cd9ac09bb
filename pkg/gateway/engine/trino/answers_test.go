package trino_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
	"github.com/google/uuid"
)

// tpchCatalog has the tables of the cluster's catalog tpch.
type tpchCatalog struct{ sql.Own }

func (tpchCatalog) Lookup(_ context.Context, n engine.TableName) (sql.Source, error) {
	return sql.Source{Base: &engine.TableName{Catalog: engine.MappedCatalog + "tpch", Schema: n.Schema,
		Table: n.Table}}, answers.Elsewhere(n)
}

// TestAnswersCluster runs the statements of the corpus through the engine. An answer that is not the kept one must be
// the one that the cluster gives when it is asked directly. DIG_TEST_ANSWERS=file.sql[:part] picks statements.
func TestAnswersCluster(t *testing.T) {
	const dir = "../../../trinosql/witness/testdata"
	list, kept := answers.Corpus(t, dir)
	o := trinotest.Options(t, t.TempDir())
	o.Catalogs = []engine.Mapping{{Catalog: "tpch", Project: "prj1", Connection: "c"}}
	e, err := trino.Open(o, engine.Options{Dir: t.TempDir(), NewID: uuid.NewString})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p, err := e.Project(t.Context(), "prj1")
	if err != nil {
		t.Fatal(err)
	}
	file, part, _ := strings.Cut(os.Getenv("DIG_TEST_ANSWERS"), ":")
	all := file == ""
	listed := answers.Listed(t, "testdata/answers_differ.txt")
	var mu sync.Mutex
	done, equal, later, refused := 0, 0, 0, map[string]int{}
	work := make(chan witness.Statement)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for s := range work {
				got, _, err := answers.Ask(t.Context(), p, sql.Query{SQL: s.SQL, Catalogs: tpchCatalog{},
					Defaults: engine.TableName{Catalog: "tpch", Schema: "tiny"},
					Props:    map[string]string{"user": "dig"}})
				why := answers.Unlike(s.SQL, kept[s.SQL], got, err)
				now := false
				if why != "" && !errors.Is(err, engine.ErrNotSupported) {
					direct, derr := witness.Ask(o.URL, s)
					if derr != nil || direct == nil {
						t.Errorf("%s\n\t%v", s.SQL, derr)
						continue
					}
					why, now = answers.Unlike(s.SQL, direct, got, err), true
				}
				mu.Lock()
				switch {
				case errors.Is(err, engine.ErrNotSupported):
					refused[err.Error()]++
				case why == "" && now:
					later++
				case why == "":
					equal++
				case listed[s.SQL] == "":
					t.Errorf("%s\n\t%s", s.SQL, why)
				}
				if done++; done%1000 == 0 {
					t.Logf("%d statements", done)
				}
				mu.Unlock()
			}
		})
	}
	for _, s := range list {
		a := kept[s.SQL]
		if a == nil || s.TypesOnly && a.Error == nil || s.Parameters() || !all && s.File != file ||
			!strings.Contains(s.SQL, part) {
			continue
		}
		work <- s
	}
	close(work)
	wait.Wait()
	t.Logf("%d as Trino 435 answers, %d as this Trino answers, refused: %v", equal, later, refused)
	if all && equal < 1000 {
		t.Errorf("only %d statements were compared", equal)
	}
}
