// Command reference writes the man pages and the reference of all commands.
//
//	reference -markdown docs/reference
//	reference -man man
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd"
	"github.com/dig-cli/dig/cmd/gateway"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func main() {
	markdown := flag.String("markdown", "", "write the reference to this `directory`")
	man := flag.String("man", "", "write the man pages, compressed, to this `directory`")
	flag.Parse()
	var err error
	if *markdown != "" {
		err = write(*markdown, reference(cmd.Tree("dig", gateway.Zone())))
	}
	for _, name := range []string{"dig", "digctl"} {
		if *man != "" && err == nil {
			var pages map[string][]byte
			if pages, err = manPages(cmd.Tree(name, gateway.Zone())); err == nil {
				err = write(*man, pages)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// write writes the files of a directory; existing files with other names are kept.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// each visits a command and its subcommands, in the order of help.
func each(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			each(sub, visit)
		}
	}
}

func manPages(root *cobra.Command) (map[string][]byte, error) {
	pages := map[string][]byte{}
	var failed error
	each(root, func(c *cobra.Command) {
		c.DisableAutoGenTag = true
		var page, packed bytes.Buffer
		header := &doc.GenManHeader{Section: "1", Manual: "dig", Source: "dig", Date: new(time.Time)}
		if err := doc.GenMan(c, header, &page); err != nil {
			failed = err
			return
		}
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err == nil {
			if _, err = z.Write(dateless(page.Bytes())); err == nil {
				err = z.Close()
			}
		}
		if err != nil {
			failed = err
		}
		pages[strings.ReplaceAll(c.CommandPath(), " ", "-")+".1.gz"] = packed.Bytes()
	})
	return pages, failed
}

// dateless removes the zero date from the header of a page, so that the output is reproducible.
func dateless(page []byte) []byte {
	return bytes.Replace(page, []byte(` "Jan 0001" `), []byte(` "" `), 1)
}

// reference returns a page for the program with its global flags, and one for each group of commands.
func reference(root *cobra.Command) map[string][]byte {
	pages := map[string][]byte{}
	var top bytes.Buffer
	top.WriteString("# " + root.Name() + "\n\n<!-- Written by make generate. -->\n\n" + root.Short +
		"\n\n| command | |\n|---|---|\n")
	for _, group := range root.Commands() {
		if !group.IsAvailableCommand() {
			continue
		}
		fmt.Fprintf(&top, "| [%s](%s.md) | %s |\n", group.CommandPath(), group.Name(),
			strings.ReplaceAll(group.Short, "|", `\|`))
		var page bytes.Buffer
		fmt.Fprintf(&page, "# %s\n\n<!-- Written by make generate. -->\n\n", group.CommandPath())
		each(group, func(c *cobra.Command) { section(&page, c, c == group) })
		page.WriteString("The flags of every command are in [README.md](README.md).\n")
		pages[group.Name()+".md"] = page.Bytes()
	}
	top.WriteString("\n## Flags of every command\n\n```\n" + root.PersistentFlags().FlagUsages() + "```\n")
	pages["README.md"] = top.Bytes()
	return pages
}

func section(page *bytes.Buffer, c *cobra.Command, first bool) {
	if !first {
		fmt.Fprintf(page, "## %s\n\n", c.CommandPath())
	}
	text := c.Long
	if text == "" {
		text = c.Short
	}
	page.WriteString(text + "\n\n")
	if c.Runnable() {
		fmt.Fprintf(page, "```\n%s\n```\n\n", c.UseLine())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(page, "Also: %s\n\n", strings.Join(c.Aliases, ", "))
	}
	if c.Example != "" {
		fmt.Fprintf(page, "Examples:\n\n```\n%s\n```\n\n", strings.TrimRight(c.Example, "\n"))
	}
	if flags := c.NonInheritedFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(page, "Flags:\n\n```\n%s```\n\n", flags)
	}
}
