// Package types lists the connection types of the gateway. A new type is a package beside this one, and its line here.
package types

import (
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/duckdbfile"
	"github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/connector/mysql"
	"github.com/dig-cli/dig/pkg/gateway/connector/postgres"
	"github.com/dig-cli/dig/pkg/gateway/connector/rest"
	"github.com/dig-cli/dig/pkg/gateway/connector/sqlite"
)

// All returns the connection types in the order in which they are listed.
func All() connector.Registry {
	return connector.Registry{
		postgres.Type(),
		mysql.Type(),
		files.Type(),
		rest.Type(),
		sqlite.Type(),
		duckdbfile.Type(),
	}
}
