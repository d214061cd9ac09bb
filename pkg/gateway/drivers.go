package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) driverRoutes(m *web.Mux) {
	web.Handle(m, spec.ListSupportedDrivers, g.noDrivers)
	web.Handle(m, spec.GetJdbcDriver, g.noDrivers)
	web.Handle(m, spec.GetSqlAlchemyDriver, g.noDrivers)
}

// noDrivers returns an empty result: zone local is accessible over HTTP only and has no SQL port, so any connection
// string would be wrong.
func (g *Gateway) noDrivers(context.Context, *web.Request[web.None]) (api.SupportedDrivers, error) {
	return api.SupportedDrivers{}, nil
}
