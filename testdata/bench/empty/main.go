// Command empty is the least a cobra program can be: the rival of `dig version`.
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
