// Command dig runs and administers a data-integration gateway.
package main

import (
	"os"

	"github.com/dig-cli/dig/cmd"
)

func main() { os.Exit(cmd.Main()) }
