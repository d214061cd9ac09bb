// Command suite measures dig as a whole process against other programs, on generated documents over loopback, and
// prints tables of ratios and peak memory. With -doc it also writes them between the markers of a document.
//
// A ratio is the wall time of one run divided by that of the adjacent run of the other program; the median is reported, because of
// noise and drift. Peak memory is the kernel's maximum resident set of the process.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// suite is one run of the program.
type suite struct {
	rows, times int
	runs        int
	dig, tools  string
	curl, jq    string // "" where missing
	duckdb      string // "" where missing
	venv        string
	sizes       []int
	dir         string
	length      bool
	docs        map[string]document
	srv         *server
	env         []string
	report      strings.Builder
	missed      []string
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "observe" {
		os.Exit(observe(os.Args[2:]))
	}
	s := &suite{}
	log.SetFlags(0)
	flag.IntVar(&s.rows, "rows", 1_000_000, "rows of the documents, of 10 mixed columns")
	flag.IntVar(&s.times, "times", 5, "how many times as many rows the second measure of memory gets")
	flag.IntVar(&s.runs, "runs", 5, "runs of which the median counts")
	flag.StringVar(&s.dig, "dig", "bin/dig", "the binary to measure")
	flag.StringVar(&s.tools, "tools", "bin/bench", "folder of the rival programs")
	slow := flag.Bool("slow", true, "also run jq and encoding/json, which take minutes")
	only := flag.String("only", "wire,forms,table,local", "parts to run")
	flag.BoolVar(&s.length, "length", false, "send documents with their length by sendfile instead of in chunks")
	wait := flag.Bool("serve", false, "only serve the documents, for a look by hand")
	doc := flag.String("doc", "", "write the tables into this document, between its markers")
	flag.StringVar(&s.venv, "venv", "", "Python environment with duckdb-cli, polars, datafusion and chdb, if not on the path, for the part files")
	sizes := flag.String("sizes", "1000000,5000000", "rows of the files of the part files")
	flag.Parse()
	for _, size := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			log.Fatalf("-sizes: %q is not a number", size)
		}
		s.sizes = append(s.sizes, n)
	}
	marker := "make bench"
	if *only == "files" {
		marker = "make bench-files"
	}
	if err := s.prepare(*slow, *only != "files"); err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(s.dir)
	if *wait {
		fmt.Println(s.srv.url("CELL_TYPED", 1, 0))
		end := make(chan os.Signal, 1)
		signal.Notify(end, os.Interrupt, syscall.SIGTERM)
		<-end
		return
	}
	if *only != "files" {
		s.printf("%s rows of 10 columns, ", group(s.rows))
	}
	s.printf("Median of %d runs, %d processors, %s, %s.\n", s.runs, runtime.NumCPU(), runtime.Version(), time.Now().UTC().Format("2006-01-02"))
	for _, part := range []struct {
		name string
		run  func(slow bool) error
	}{{"wire", s.wire}, {"forms", s.forms}, {"table", s.table}, {"local", s.local}, {"files", s.files}} {
		if !strings.Contains(*only, part.name) {
			continue
		}
		if err := part.run(*slow); err != nil {
			os.RemoveAll(s.dir)
			log.Fatalf("%s: %v", part.name, err)
		}
	}
	if len(s.missed) > 0 {
		s.printf("\nMissed in this run: %s.\n", strings.Join(s.missed, ";\n"))
	}
	if *doc != "" {
		if err := writeBetween(*doc, "<!-- "+marker+": begin -->", "<!-- "+marker+": end -->", s.report.String()); err != nil {
			log.Fatal(err)
		}
	}
	if len(s.missed) > 0 {
		os.RemoveAll(s.dir)
		os.Exit(1)
	}
}

func (s *suite) prepare(slow, wire bool) error {
	for _, p := range []*string{&s.dig, &s.tools} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	s.curl, s.jq = lookFor("curl"), lookFor("jq")
	if s.curl == "" && wire {
		s.printf("curl was not found: what is measured against it is left out.\n")
	}
	if s.jq == "" && slow && wire {
		s.printf("jq was not found: it is left out.\n")
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "dig-bench-"); err != nil {
		return err
	}
	if wire {
		if s.docs, err = generate(s.dir, s.rows); err != nil {
			return err
		}
		if s.srv, err = serve(s.docs, s.length); err != nil {
			return err
		}
	}
	if err := s.install(); err != nil {
		return err
	}
	s.env = append(os.Environ(), "DIG_CONFIG_DIR="+filepath.Join(s.dir, "config"), "DIG_DATA_DIR="+filepath.Join(s.dir, "data"),
		"DIG_API_KEY=bench", "NO_COLOR=1", "http_proxy=", "HTTP_PROXY=", "all_proxy=", "ALL_PROXY=")
	return nil
}

// install copies the program as `make install` does: the folio size of a file in the page cache depends on how it was written, and
// the kernel maps a whole folio when one byte is accessed.
func (s *suite) install() error {
	in, err := os.Open(s.dig)
	if err != nil {
		return err
	}
	defer in.Close()
	s.dig = filepath.Join(s.dir, "dig")
	out, err := os.OpenFile(s.dig, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := out.ReadFrom(in); err != nil {
		return err
	}
	return out.Close()
}

// printf writes to the report and to the screen.
func (s *suite) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.report.WriteString(text)
	fmt.Print(text)
}

// goal records missed goals.
func (s *suite) goal(what string, got, most float64) string {
	if got > most {
		s.missed = append(s.missed, fmt.Sprintf("%s: %.2f instead of %.1f", what, got, most))
	}
	return fmt.Sprintf("%.1f", most)
}

func writeBetween(path, begin, end, text string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(raw), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the markers %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(head+begin+"\n"+text+end+tail), 0o644)
}

// group writes 1000000 as 1,000,000.
func group(n int) string {
	t := fmt.Sprint(n)
	for i := len(t) - 3; i > 0; i -= 3 {
		t = t[:i] + "," + t[i:]
	}
	return t
}
