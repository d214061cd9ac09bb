package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd"
	"github.com/dig-cli/dig/cmd/gateway"
	"github.com/spf13/cobra"
)

const kept = "../../docs/reference"

func TestReferenceIsCurrent(t *testing.T) {
	pages := reference(cmd.Tree("dig", gateway.Zone()))
	for name, want := range pages {
		if got, err := os.ReadFile(filepath.Join(kept, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/reference/%s is not current (%v): run make generate", name, err)
		}
	}
	files, err := os.ReadDir(kept)
	if err != nil || len(pages) < 10 {
		t.Fatal(err, len(pages))
	}
	for _, f := range files {
		if pages[f.Name()] == nil {
			t.Errorf("docs/reference/%s is of no command", f.Name())
		}
	}
}

// TestManPages: each command has a page that names it, holds its examples and is the same every time.
func TestManPages(t *testing.T) {
	root := cmd.Tree("digctl", gateway.Zone())
	pages, err := manPages(root)
	if err != nil {
		t.Fatal(err)
	}
	again, err := manPages(cmd.Tree("digctl", gateway.Zone()))
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	each(root, func(c *cobra.Command) {
		commands++
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		packed := pages[name+".1.gz"]
		if !bytes.Equal(packed, again[name+".1.gz"]) {
			t.Errorf("%s differs from one time to the next", name)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := io.ReadAll(z)
		if err != nil || !bytes.Contains(text, []byte(".TH")) ||
			!bytes.Contains(text, []byte(`"`+strings.ToUpper(name)+`" "1" "" "dig" "dig"`)) || c.Example != "" &&
			!bytes.Contains(text, []byte("EXAMPLE")) {
			t.Errorf("%s: %v, %.200s", name, err, text)
		}
	})
	if commands != len(pages) || commands < 100 {
		t.Errorf("%d commands, %d pages", commands, len(pages))
	}
}
