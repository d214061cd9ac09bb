//go:build ignore

// Command summary reads `go test -json` and prints what go test prints without -v. At the end it prints how many tests
// ran, the slowest of them, and every test that was skipped, with its reason. Lines that are not test events are
// copied.
//
//	go test -json ./... | go run .ci/summary.go
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// longest is the number of slowest tests that are printed.
const longest = 12

type timed struct {
	name    string
	seconds float64
}

func main() {
	output := map[string][]string{} // by package and test, kept until the test ends
	count := map[string]int{}
	var skipped []string
	var times []timed
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			break
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			fmt.Print(line)
			continue
		}
		key := e.Package + " " + e.Test
		switch {
		case e.Action == "build-output":
			fmt.Print(e.Output)
		case e.Action == "output" && e.Test == "":
			if o := e.Output; o != "PASS\n" && !strings.HasPrefix(o, "testing: warning: no tests") {
				fmt.Print(o)
			}
		case e.Action == "output":
			output[key] = append(output[key], e.Output)
		case e.Test == "":
		case e.Action == "pass", e.Action == "fail", e.Action == "skip":
			count[e.Action]++
			if !strings.Contains(e.Test, "/") {
				times = append(times, timed{strings.TrimPrefix(e.Package, "github.com/dig-cli/dig/") + " " +
					e.Test, e.Elapsed})
			}
			text := strings.Join(output[key], "")
			delete(output, key)
			if e.Action == "fail" {
				fmt.Print(text)
			}
			if e.Action == "skip" {
				skipped = append(skipped, strings.TrimPrefix(e.Package, "github.com/dig-cli/dig/")+" "+e.Test+": "+
					reason(text))
			}
		}
	}
	for key, lines := range output { // tests that never ended: a panic or a timeout
		fmt.Println("unfinished:", key)
		fmt.Print(strings.Join(lines, ""))
	}
	slices.SortFunc(times, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range times[:min(longest, len(times))] {
		fmt.Printf("long: %.0f s %s\n", t.seconds, t.name)
	}
	for _, s := range skipped {
		fmt.Println("skipped:", s)
	}
	fmt.Printf("tests: %d passed, %d failed, %d skipped, %d unfinished\n", count["pass"], count["fail"],
		count["skip"], len(output))
	if count["fail"] > 0 || len(output) > 0 || count["pass"] == 0 {
		os.Exit(1)
	}
}

// reason is the text given to Skip: the output without the lines that say that the test runs and is skipped.
func reason(text string) string {
	var said []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "WORK=$WORK") { // the environment of a script
			break
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") &&
			!strings.HasPrefix(line, "--- ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}
