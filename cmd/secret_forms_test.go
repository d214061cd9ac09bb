package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// memberForms returns the forms of secrets as members of JSON documents, and the secrets of each.
func memberForms(t *testing.T) (docs []string, secrets [][]string) {
	t.Helper()
	raw, err := os.ReadFile("../internal/secret/testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		marked, ok := strings.CutPrefix(line, "member\t")
		if !ok {
			continue
		}
		var found []string
		for i, part := range strings.FieldsFunc(marked, func(r rune) bool { return r == '«' || r == '»' }) {
			if i%2 == 1 && len(part) > 3 && part != "ann" {
				found = append(found, part)
			}
		}
		docs, secrets = append(docs, "{"+strings.NewReplacer("«", "", "»", "").Replace(marked)+"}"),
			append(secrets, found)
	}
	if len(docs) < 50 {
		t.Fatalf("%d forms", len(docs))
	}
	return docs, secrets
}

// TestSecretForms: a secret of any form is in no trace, record, dry run or explanation, and a body that is shown whole
// stays JSON.
func TestSecretForms(t *testing.T) {
	docs, secrets := memberForms(t)
	reply := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply)
	}))
	defer srv.Close()
	state := t.TempDir()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"DIG_STATE_DIR": state, "DIG_CACHE_DIR": t.TempDir()}
	body := filepath.Join(t.TempDir(), "body.json")
	for at := 0; at < len(docs); at += 8 {
		some := docs[at:min(at+8, len(docs))]
		doc := "[" + strings.Join(some, ",") + "]"
		if err := os.WriteFile(body, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			reply string
			args  []string
		}{
			{doc, []string{"api", "/odd", "--debug", "--out", filepath.Join(t.TempDir(), "out.json")}},
			{"{}", []string{"api", "POST", "/odd", "--input", body, "--debug"}},
			{"{}", []string{"api", "POST", "/odd", "--input", body, "--dry-run"}},
			{"{}", []string{"api", "POST", "/odd", "--input", body, "--dry-run", "-o", "json"}},
			{"{}", []string{"api", "POST", "/odd", "--input", body, "--explain"}},
		} {
			reply = c.reply
			_, out, errs := runDig(t, env, c.args...)
			text := out + errs
			for i := range some {
				for _, s := range secrets[at+i] {
					if strings.Contains(text, s) {
						t.Errorf("%v shows %s of %s", c.args, s, some[i])
					}
				}
			}
			shown := 0
			for line := range strings.SplitSeq(text, "\n") {
				for _, way := range []string{"debug: < [", "debug: > ["} {
					if rest, ok := strings.CutPrefix(line, way); ok {
						if shown++; !json.Valid([]byte("[" + rest)) {
							t.Errorf("%v: not JSON: %s", c.args, line)
						}
					}
				}
			}
			if slices.Contains(c.args, "--debug") != (shown == 1) {
				t.Errorf("%v shows %d bodies:\n%s", c.args, shown, text)
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(state, "journal", "changes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i, doc := range docs {
		for _, s := range secrets[i] {
			if strings.Contains(string(raw), s) {
				t.Errorf("the journal has %s of %s", s, doc)
			}
		}
	}
	if !strings.Contains(string(raw), "postgres-main") || !strings.Contains(string(raw), `"apiKeyId":"3f2c7d1e"`) {
		t.Errorf("the journal lacks what is no secret:\n%s", raw)
	}
}

// TestPulledSecretForms: no file that is pulled has a secret of any form, whatever the gateway returns.
func TestPulledSecretForms(t *testing.T) {
	docs, secrets := memberForms(t)
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("connection", "create", "c", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
	reply := ""
	f.on(spec.GetConnectionDetail, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply)
	})
	for i, doc := range docs {
		if strings.Contains(doc, `"types"`) || strings.Contains(doc, `"type":"postgres"`) ||
			strings.Contains(doc, `"columns":`) { // a result
			continue
		}
		reply = `{"type":"files","path":"/data",` + doc[1:]
		f.ok("pull", "p", "--force")
		text := filesOf(t, filepath.Join(f.home, "p"))["connections/c.yaml"]
		for _, s := range secrets[i] {
			if strings.Contains(text, s) {
				t.Errorf("%s of %s is in\n%s", s, doc, text)
			}
		}
		_, out, errs := f.dig("connection", "detail", "c", "-o", "json")
		for _, s := range secrets[i] {
			if strings.Contains(out+errs, s) {
				t.Errorf("connection detail shows %s of %s: %s%s", s, doc, out, errs)
			}
		}
	}
}

// TestResultsAreMaskedByField: what is used as a password may be part of a name, and a result has the name as it is.
func TestResultsAreMaskedByField(t *testing.T) {
	f := newFront(t, "local")
	f.file("cred.json",
		`{"url":"127.0.0.1","port":1,"databaseName":"postgres","user":"postgres","password":"postgres"}`)
	f.on(spec.CreateConnection, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1b7a1843-8ce4-473a-b7f7-68faa2f6f411","name":"postgres-main",`+
			`"type":"postgres","credential":{"user":"postgres","password":"postgres"}}`)
	})
	_, out, errs := f.dig("connection", "create", "postgres-main", "--type", "postgres", "--credential-file",
		"cred.json", "--dry-run", "-o", "json")
	if !strings.Contains(out, `"name":"postgres-main"`) || !strings.Contains(out, `"type":"POSTGRES"`) ||
		!strings.Contains(out, `"password":"***"`) || !strings.Contains(out, `"user":"postgres"`) {
		t.Errorf("a dry run: %s%s", out, errs)
	}
	for _, more := range [][]string{{"-o", "json"}, {"-o", "csv"}, {"-o", "table"}, {"--jq", "."}} {
		code, out, errs := f.dig(append([]string{"connection", "create", "postgres-main", "--type", "postgres",
			"--credential-file", "cred.json"}, more...)...)
		if code != 0 || !strings.Contains(out, "postgres-main") ||
			strings.Contains(strings.ReplaceAll(out, "postgres-main", ""), "-main") {
			t.Errorf("%v: exit %d: %s%s", more, code, out, errs)
		}
	}
	_, out, errs = f.dig("connection", "create", "postgres-main", "--type", "postgres", "--credential-file",
		"cred.json", "-o", "json")
	if !strings.Contains(out, `"name":"postgres-main"`) || !strings.Contains(out, `"password":"****"`) ||
		!strings.Contains(out, `"user":"postgres"`) {
		t.Errorf("a reply with the credential: %s%s", out, errs)
	}
}
