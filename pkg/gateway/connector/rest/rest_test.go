package rest

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
)

func TestContract(t *testing.T) {
	s := serve(t)
	for name, members := range map[string]string{
		"plain": `"path":"/plain"`,
		"page":  `"path":"/page", "rows":"data.items", "paging":{"type":"page","sizeParam":"per","size":400}`,
		"total": `"path":"/page", "rows":"/data/items", "paging":{"type":"page","sizeParam":"per","size":500,` +
			`"total":"total"}`,
		"offset": `"path":"offset", "rows":"rows", "paging":{"type":"offset","sizeParam":"limit","size":1000}`,
		"more": `"path":"/offset", "rows":"rows", "paging":{"type":"offset","sizeParam":"limit","size":333,` +
			`"more":"more"}`,
		"cursor":  `"path":"/cursor", "rows":"rows", "paging":{"type":"cursor","param":"after","next":"meta.next"}`,
		"link":    `"path":"/link", "paging":{"type":"link"}`,
		"address": `"path":"/address", "rows":"rows", "paging":{"type":"link","next":"links.next"}`,
	} {
		t.Run(name, func(t *testing.T) {
			doc := items(members)
			contract.Run(t, contract.Fixture{Good: connect(t, s.URL+"/v1", key, doc), Bad: connect(t, s.URL+"/v1/",
				"Bearer other", doc), Schema: defaultSchema})
		})
	}
}
