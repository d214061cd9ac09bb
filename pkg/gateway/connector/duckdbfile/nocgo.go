//go:build !cgo

package duckdbfile

import (
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

type pool struct{}

func newPool() *pool { return &pool{} }

func (*pool) open(connector.Credential, connector.Reach) (connector.Connector, error) {
	return nil, errors.New("this build of dig cannot read DuckDB files (it was built without cgo)")
}
