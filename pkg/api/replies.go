package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
)

// Answered reports whether an error is the gateway's answer to the request, not a failure to reach the gateway.
func Answered(err error) bool {
	var refused *Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Kind {
	case KindUnavailable, KindUnauthorized, KindForbidden, KindTimeout, KindProtocol:
		return false
	}
	return true
}

// NoRoute reports whether the gateway does not have the route.
func NoRoute(err error) bool {
	var ae *Error
	return errors.As(err, &ae) && (ae.Status == 404 || ae.Status == 405)
}

// JobState normalizes the state of a run of a cache, a materialized query or an export to the spelling used in this
// program.
func JobState(s string) string {
	if s = strings.ToUpper(s); s == StateCanceled {
		return StateCancelled
	}
	return s
}

// Lasting reports whether the same call would fail in the same way again until something is changed: the server has
// another certificate or protocol than the address says, a proxy refuses the address, a source is not there or refuses
// its credential, or the gateway has a defect.
func Lasting(err error) bool {
	var (
		refused *Error
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		header  tls.RecordHeaderError
	)
	return errors.Is(err, errSetting) || errors.As(err, &cert) || errors.As(err, &unknown) ||
		errors.As(err, &header) || errors.As(err, &refused) && (refused.Code == CodeUnusable ||
		refused.Code == CodeMissing || refused.Code == CodeLasting)
}
