package cli

import (
	"errors"

	"github.com/dig-cli/dig/pkg/api"
)

// Answered reports whether an error is the gateway's answer to the request, not a failure to reach the gateway.
func Answered(err error) bool {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Kind {
	case api.KindUnavailable, api.KindUnauthorized, api.KindForbidden, api.KindTimeout, api.KindProtocol:
		return false
	}
	return true
}

// NoRoute reports whether the gateway does not have the route.
func NoRoute(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && (ae.Status == 404 || ae.Status == 405)
}
