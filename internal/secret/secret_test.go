package secret

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestQuery checks that a query string keeps all but its secrets.
func TestQuery(t *testing.T) {
	for _, c := range [][3]string{
		{"token=a1&limit=3&password=b2", "token=***&limit=3&password=***", "a1 b2"},
		{"x-api-key=a1&apikey=b2&api_key=c3", "x-api-key=***&apikey=***&api_key=***", "a1 b2 c3"},
		{"%74oken=a%201&q=token", "%74oken=***&q=token", "a 1"},
		{"to=https%3A%2F%2Fu%3Aa1%40h%2Fx&back=https://h/?token=b2",
			"to=https%3A%2F%2Fu%3A%2A%2A%2A%40h%2Fx&back=https%3A%2F%2Fh%2F%3Ftoken%3D%2A%2A%2A", "a1 b2"},
		{"limit=3&token=&flag", "limit=3&token=&flag", ""},
		{"", "", ""},
	} {
		found := slices.DeleteFunc(InQuery(c[0]), func(s string) bool { return s == "" })
		if got := Query(c[0]); got != c[1] || strings.Join(found, " ") != c[2] {
			t.Errorf("%s: %s, %q; want %s, %q", c[0], got, found, c[1], c[2])
		}
	}
}

// TestOpen checks that everything in a member of a credential is shown except its secrets.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name, value, open, path string
		secrets                 string
	}{
		{"password", `"abc"`, `"***"`, "password", "abc"},
		{"password", `""`, `""`, "", ""},
		{"useToken", `true`, `true`, "", ""},
		{"apiKey", `12`, `"***"`, "apiKey", ""},
		{"path", `"/data/key=1"`, `"/data/key=1"`, "", ""},
		{"url", `"https://me:pw1@h/x"`, `"https://me:***@h/x"`, "url", "pw1"},
		{"url", `"https://h/x?page=2&api_key=pw2#x"`, `"https://h/x?page=2\u0026api_key=***#x"`, "url", "pw2"},
		{"url", `"jdbc:sqlserver://h;user=me;password=pw3"`, `"jdbc:sqlserver://h;user=me;password=***"`, "url", "pw3"},
		{"odbc", `"Server=h;Uid=me;Pwd=pw4;"`, `"Server=h;Uid=me;Pwd=***;"`, "odbc", "pw4"},
		{"ssl", `{"key":"pw5","on":true}`, `{"key":"***","on":true}`, "ssl.key", "pw5"},
		{"hosts", `[{"url":"h"},{"url":"https://a:pw6@h"}]`, `[{"url":"h"},{"url":"https://a:***@h"}]`,
			"hosts[1].url", "pw6"},
		{"tables", `"{\"tables\":[{\"query\":{\"api_key\":\"pw7\"}}]}"`,
			`"{\"tables\":[{\"query\":{\"api_key\":\"***\"}}]}"`, "tables.tables[0].query.api_key", "pw7"},
		{"tables", `"{\"types\":{\"token\":\"varchar\"},\"name\":\"token\"}"`,
			`"{\"types\":{\"token\":\"varchar\"},\"name\":\"token\"}"`, "", ""},
		{"text", `"{not json key=1"`, `"{not json key=1"`, "", ""},
		{"port", `5432`, `5432`, "", ""},
	} {
		open, path, err := Open(c.name, json.RawMessage(c.value))
		raw, merr := json.Marshal(open)
		if err != nil || merr != nil || string(raw) != c.open || path != c.path {
			t.Errorf("%s %s: %s at %q, %v %v; want %s at %q", c.name, c.value, raw, path, err, merr, c.open, c.path)
		}
		var x any
		if err := json.Unmarshal([]byte(c.value), &x); err != nil {
			t.Fatal(err)
		}
		found := Within(c.name, x)
		if got := strings.Join(slices.Compact(found), " "); got != c.secrets {
			t.Errorf("%s %s: secrets %q, want %q", c.name, c.value, got, c.secrets)
		}
	}
}
