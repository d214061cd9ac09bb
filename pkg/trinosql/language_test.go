package trinosql

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

// TestLanguage parses the statements of the whole language as Trino does, prints them and parses them again.
func TestLanguage(t *testing.T) {
	const dir = "witness/testdata/language"
	list, err := witness.Statements(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, answers, err := witness.Answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		tree, err := Parse(s.SQL)
		if e := answers[s.SQL].Error; e != nil && e[0] == "SYNTAX_ERROR" {
			want, _, _ := strings.Cut("line "+e[1]+": "+e[2], " Expecting: ")
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s\n\twe say    %v\n\tTrino says %s", s.SQL, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s\n\tTrino takes it, we say %v", s.SQL, err)
			continue
		}
		again, err := Parse(String(tree))
		if err != nil || dump(tree) != dump(again) {
			t.Errorf("%s\n\tis printed as %s: %v", s.SQL, String(tree), err)
		}
		if _, other := tree.(*Other); !other {
			formatted(t, s.SQL)
		}
	}
}

// TestMutations leaves out or repeats words of the statements, and compares what of it is parsed with a running Trino
// of the version that answered them.
func TestMutations(t *testing.T) {
	base := os.Getenv("DIG_TEST_TRINO")
	version, _, err := witness.Answers("witness/testdata/language")
	list, err2 := witness.Statements("witness/testdata/language")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if base == "" || runningVersion(t, base) != version {
		t.Skip("DIG_TEST_TRINO is not set: start one with WITNESS_VERSION=" + version + " bash .ci/witness")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range list {
		if s.File != "language.sql" {
			continue
		}
		p := newParser(s.SQL)
		for range 4 {
			i, j := r.IntN(len(p.tokens)-1), r.IntN(len(p.tokens)-1)
			at, end, more := p.tokens[i].from.Offset, p.tokens[i].end, ""
			if r.IntN(3) == 0 {
				at, more = end, " "+p.textOf(p.tokens[j])+" "
			}
			text := s.SQL[:at] + more + s.SQL[end:]
			tree, err := Parse(text)
			if _, ok := tree.(*Other); ok {
				continue // of which only the kind is known
			}
			if theirs := ask(t, base, text).Error; (theirs.ErrorName == "SYNTAX_ERROR") != (err != nil) {
				t.Errorf("%s\n\twe say %v\n\tTrino says %s", text, err, theirs.Message)
			}
		}
	}
}

func runningVersion(t *testing.T, base string) string {
	t.Helper()
	var info struct{ NodeVersion struct{ Version string } }
	resp, err := http.Get(base + "/v1/info")
	if err == nil {
		err = json.NewDecoder(resp.Body).Decode(&info)
		resp.Body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.NodeVersion.Version
}
