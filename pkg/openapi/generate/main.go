// Command generate writes the OpenAPI document of the gateway: generate FOLDER-OF-PKG-API FILE.
package main

import (
	"fmt"
	"os"

	"github.com/dig-cli/dig/pkg/openapi"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate FOLDER FILE")
		os.Exit(2)
	}
	raw, err := openapi.Build(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], raw, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
