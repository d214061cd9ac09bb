package witness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestComplete finds statements without an answer and answers without a statement.
func TestComplete(t *testing.T) {
	for _, dir := range []string{"testdata", "testdata/language", "testdata/system"} {
		if os.Getenv("DIG_TEST_RENEW") != "" {
			renew(t, dir)
		}
		list, err := Statements(dir)
		if err != nil {
			t.Fatal(err)
		}
		version, answers, err := Answers(dir)
		if err != nil {
			t.Fatal(err)
		}
		if version == "" || len(list) != len(answers) {
			t.Errorf("%s: %d statements, %d answers of Trino %q", dir, len(list), len(answers), version)
		}
		for _, s := range list {
			if a := answers[s.SQL]; a == nil || a.Columns == nil && a.Error == nil {
				t.Errorf("%s: no answer to %s", s.File, s.SQL)
			}
		}
	}
}

// renew asks the Trino whose address is in DIG_TEST_TRINO for the answers of a directory, if it has the version of
// those.
func renew(t *testing.T, dir string) {
	base := os.Getenv("DIG_TEST_TRINO")
	if base == "" {
		t.Fatal("DIG_TEST_TRINO is not set: start one with .ci/witness")
	}
	var info struct{ NodeVersion struct{ Version string } }
	resp, err := http.Get(base + "/v1/info")
	if err == nil {
		err = json.NewDecoder(resp.Body).Decode(&info)
		resp.Body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	version, known, err := Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	if version != info.NodeVersion.Version {
		return
	}
	if os.Getenv("DIG_TEST_RENEW") == "all" {
		known = nil
	}
	answers := make([]*Answer, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				a, err := Ask(base, list[i])
				if err != nil {
					t.Errorf("%s: %v", list[i].SQL, err)
					a = &Answer{SQL: list[i].SQL}
				}
				answers[i] = a
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
		if err := os.WriteFile(dir+"/"+name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
