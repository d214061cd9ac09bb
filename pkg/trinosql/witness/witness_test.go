package witness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestComplete finds statements without an answer and answers without a statement.
func TestComplete(t *testing.T) {
	if os.Getenv("DIG_TEST_RENEW") != "" {
		renew(t)
	}
	list, err := Statements("testdata")
	if err != nil {
		t.Fatal(err)
	}
	version, answers, err := Answers("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if version == "" || len(list) != len(answers) {
		t.Errorf("%d statements, %d answers of Trino %q", len(list), len(answers), version)
	}
	for _, s := range list {
		if a := answers[s.SQL]; a == nil || a.Columns == nil && a.Error == nil {
			t.Errorf("%s: no answer to %s", s.File, s.SQL)
		}
	}
}

const keptRows, keptBytes = 30, 4000

// renew asks the Trino whose address is in DIG_TEST_TRINO for all answers.
func renew(t *testing.T) {
	base := os.Getenv("DIG_TEST_TRINO")
	if base == "" {
		t.Fatal("DIG_TEST_TRINO is not set: start one with .ci/witness")
	}
	list, err := Statements("testdata")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*Answer{}
	if os.Getenv("DIG_TEST_RENEW") != "all" {
		if _, known, err = Answers("testdata"); err != nil {
			t.Fatal(err)
		}
	}
	answers := make([]*Answer, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				answers[i] = ask(t, base, list[i])
			}
		}()
	}
	for i, s := range list {
		if a := known[s.SQL]; a != nil && (a.Columns != nil || a.Error != nil) {
			answers[i] = a
			continue
		}
		next <- i
	}
	close(next)
	wait.Wait()
	var info struct{ NodeVersion struct{ Version string } }
	resp, err := http.Get(base + "/v1/info")
	if err == nil {
		err = json.NewDecoder(resp.Body).Decode(&info)
		resp.Body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("{\"trino\":%q}\n", info.NodeVersion.Version)
	files := map[string]*bytes.Buffer{}
	for i, a := range answers {
		name := strings.TrimSuffix(list[i].File, ".sql") + ".jsonl"
		if files[name] == nil {
			files[name] = bytes.NewBufferString(head)
		}
		enc := json.NewEncoder(files[name])
		enc.SetEscapeHTML(false)
		if err := enc.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range files {
		if err := os.WriteFile("testdata/"+name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func ask(t *testing.T, base string, s Statement) *Answer {
	a := &Answer{SQL: s.SQL}
	described := post(t, base, "DESCRIBE OUTPUT q", s.SQL)
	if described == nil { // what is not parsed is not prepared, and the reply does not say where
		described = post(t, base, s.SQL, "")
	}
	if described == nil {
		return a
	}
	if a.Error = described.failure(); a.Error != nil {
		return a
	}
	for _, r := range described.Data {
		a.Columns = append(a.Columns, [2]string{r[0].(string), r[4].(string)})
	}
	if s.TypesOnly || strings.Contains(s.SQL, "?") {
		return a
	}
	run := post(t, base, s.SQL, "")
	if run == nil {
		return a
	}
	a.Failure = run.failure()
	if rows, err := json.Marshal(run.Data); err == nil && len(run.Data) <= keptRows && len(rows) <= keptBytes {
		a.Rows = run.Data
	}
	return a
}

type reply struct {
	NextURI string `json:"nextUri"`
	Data    [][]any
	Error   *struct {
		ErrorName, Message string
		ErrorLocation      struct{ LineNumber, ColumnNumber int }
	}
}

func (r *reply) failure() *[3]string {
	if r.Error == nil {
		return nil
	}
	e := r.Error
	place := ""
	if e.ErrorLocation.LineNumber > 0 {
		place = fmt.Sprintf("%d:%d", e.ErrorLocation.LineNumber, e.ErrorLocation.ColumnNumber)
	}
	return &[3]string{e.ErrorName, place, strings.TrimPrefix(e.Message, "line "+place+": ")}
}

// post runs a statement, with another one prepared as q, and gathers all of its rows.
func post(t *testing.T, base, sql, prepared string) *reply {
	t.Helper()
	all := &reply{}
	req, err := http.NewRequest("POST", base+"/v1/statement", strings.NewReader(sql))
	for err == nil {
		for k, v := range map[string]string{"User": "dig", "Catalog": "tpch", "Schema": "tiny", "Time-Zone": "UTC", "Client-Info": "witness", "Client-Capabilities": "PARAMETRIC_DATETIME"} {
			req.Header.Set("X-Trino-"+k, v)
		}
		if prepared != "" {
			req.Header.Set("X-Trino-Prepared-Statement", "q="+url.QueryEscape(prepared))
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err != nil {
			break
		}
		var r reply
		dec := json.NewDecoder(resp.Body)
		dec.UseNumber()
		err = dec.Decode(&r)
		resp.Body.Close()
		if resp.StatusCode == http.StatusBadRequest && prepared != "" {
			return nil
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", resp.Status, err)
			break
		}
		all.Data = append(all.Data, r.Data...)
		if all.Error = r.Error; r.NextURI == "" {
			return all
		}
		req, err = http.NewRequest("GET", r.NextURI, nil)
	}
	t.Errorf("%s %s: %v", sql, prepared, err)
	return nil
}
