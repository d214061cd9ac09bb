package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDoublesInCSV: where the cheap shapes of a reply tell no types, as on the hosted zones, doubles in csv and tsv are
// plain decimals all the same, texts of the same form stay, and the types are asked for once, and only when there is
// something to ask about.
func TestDoublesInCSV(t *testing.T) {
	const columns = `"columns":[{"catalogName":"","schemaName":"","tableName":"","columnName":"n"},{"catalogName":"",` +
		`"schemaName":"","tableName":"","columnName":"d"},{"catalogName":"","schemaName":"","tableName":"",` +
		`"columnName":"s"}]`
	var typed atomic.Int32
	types, rows := true, `["1","12.5","1.0E5"],["2","1.254740786E7","1.254740786E7"],["3","-1.5E-5","-1.5E-5"],["4",`+
		`"1.0E-300",null],["5","1.0E7","x"]`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		raw, _ := io.ReadAll(r.Body)
		if r.URL.Query().Get("format") != "CELL_TYPED" {
			fmt.Fprintf(w, `{%s,"data":[%s]}`, columns, rows)
			return
		}
		typed.Add(1)
		if !strings.Contains(string(raw), "LIMIT 1") || !types {
			w.WriteHeader(500)
			return
		}
		fmt.Fprintf(w, `{%s,"data":[[{"name":"n","displayName":"n","dataType":"bigint","order":1,"value":"1"},`+
			`{"name":"d","displayName":"d","dataType":"double","order":2,"value":"12.5"},{"name":"s",`+
			`"displayName":"s","dataType":"varchar","order":3,"value":"1.0E5"}]]}`, columns)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234",
		"DIG_ZONE": "us"}
	for _, c := range []struct {
		args  []string
		want  string
		typed int32
	}{
		{[]string{"-o", "csv"},
			"n,d,s\n1,12.5,1.0E5\n2,12547407.86,1.254740786E7\n3,-0.000015,-1.5E-5\n4,1.0E-300,\n5,10000000.0,x\n", 1},
		{[]string{"-o", "tsv"},
			"n\td\ts\n1\t12.5\t1.0E5\n2\t12547407.86\t1.254740786E7\n3\t-0.000015\t-1.5E-5\n4\t1.0E-300\t\\N\n5\t10000000.0\tx\n", 1},
		{[]string{"-o", "csv", "--columns", "s,d"},
			"s,d\n1.0E5,12.5\n1.254740786E7,12547407.86\n-1.5E-5,-0.000015\n,1.0E-300\nx,10000000.0\n", 1},
		{[]string{"-o", "csv", "--raw"},
			"n,d,s\n1,12.5,1.0E5\n2,1.254740786E7,1.254740786E7\n3,-1.5E-5,-1.5E-5\n4,1.0E-300,\n5,1.0E7,x\n", 0},
	} {
		typed.Store(0)
		code, out, errs := runDig(t, env, append([]string{"query", "execute", "SELECT n, d, s FROM t"}, c.args...)...)
		if code != 0 || out != c.want || typed.Load() != c.typed {
			t.Errorf("%v: exit %d, %d asked, %q\n%s", c.args, code, typed.Load(), out, errs)
		}
	}
	types = false
	code, out, errs := runDig(t, env, "query", "execute", "SELECT n, d, s FROM t", "-o", "csv")
	if code != 0 || !strings.Contains(out, "2,1.254740786E7,1.254740786E7\n") ||
		strings.Count(errs, "the types of the columns are not available") != 1 {
		t.Errorf("without types: exit %d, %q\n%s", code, out, errs)
	}
	typed.Store(0)
	rows = `["1","12.5","E5"],["2","1.5E","1.E5"]`
	if code, out, _ := runDig(t, env, "query", "execute", "SELECT n, d, s FROM t", "-o", "csv"); code != 0 ||
		typed.Load() != 0 || out != "n,d,s\n1,12.5,E5\n2,1.5E,1.E5\n" {
		t.Errorf("nothing to ask: exit %d, %d asked, %q", code, typed.Load(), out)
	}
}
