//go:build cgo

package cmd

const localEngine = true
