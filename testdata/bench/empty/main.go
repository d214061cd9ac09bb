// Command empty is a minimal cobra program, for comparison with `dig version`.
package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "empty"}
	root.AddCommand(&cobra.Command{Use: "version", Run: func(*cobra.Command, []string) { fmt.Println("empty") }})
	_ = root.Execute()
}
