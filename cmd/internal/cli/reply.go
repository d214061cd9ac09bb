package cli

import (
	"errors"

	"github.com/dig-cli/dig/pkg/api"
)

// Answered reports whether an error is what the gateway says about the request, and not a failure to ask it.
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

// NoRoute reports an answer of a gateway that lacks the route.
func NoRoute(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && (ae.Status == 404 || ae.Status == 405)
}
