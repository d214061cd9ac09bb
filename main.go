// Command dig runs and administers a data-integration gateway.
package main

//go:generate go run . completion --all completions
//go:generate go run ./internal/reference -markdown docs/reference
//go:generate go test ./internal/manifest -run TestSchema -args -write

import (
	"os"

	"github.com/dig-cli/dig/cmd"
	"github.com/dig-cli/dig/cmd/gateway"
)

func main() { os.Exit(cmd.Main(gateway.Zone())) }
