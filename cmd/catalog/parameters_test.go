package catalog

import (
	"slices"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestMissingParameters: the fields that a refusal names are read from the forms it may have, and from nothing else.
func TestMissingParameters(t *testing.T) {
	for _, c := range []struct {
		status        int
		message, body string
		want          []string
	}{
		{400, "Missing required fields: clientId, clientSecret and refreshToken", "",
			[]string{"clientId", "clientSecret", "refreshToken"}},
		{400, "Missing required extraParameters [client_id, developer_token].", "",
			[]string{"client_id", "developer_token"}},
		{400, "refused", `{"missingFields":["clientId","clientSecret"]}`, []string{"clientId", "clientSecret"}},
		{400, `required parameter is missing: "developerToken"`, "", []string{"developerToken"}},
		{400, "Catalog name already exists: shop", "", nil},
		{400, "Missing required fields: none of them is there", "", nil},
		{500, "Missing required fields: clientId", "", nil},
		{400, "A name is required", "", nil},
	} {
		got := missingParameters(&api.Error{Status: c.status, Message: c.message, Raw: []byte(c.body)})
		if !slices.Equal(got, c.want) {
			t.Errorf("%d %s %s: %v, want %v", c.status, c.message, c.body, got, c.want)
		}
	}
}
