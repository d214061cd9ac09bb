// Command dig runs and administers a data-integration gateway.
package main

//go:generate go run . completion --all completions

import (
	"os"

	"github.com/dig-cli/dig/cmd"
)

func main() { os.Exit(cmd.Main()) }
