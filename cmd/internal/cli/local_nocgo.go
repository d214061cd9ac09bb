//go:build !cgo

package cli

const LocalEngine = false
