// Package witness reads a corpus of statements in Trino's language and a Trino server's answers to them, for the tests
// of other packages.
//
// testdata/*.sql holds the statements. Each ends with a semicolon at the end of a line and may span lines; lines that
// begin with -- outside of a statement are comments. The statements of a file whose first line is "-- types only" are
// not run, only described. The session has the catalog tpch, the schema tiny and the time zone UTC.
//
// For NAME.sql, the file NAME.jsonl in the same directory holds a line with the version of Trino, and then one JSON
// object for each statement, in the order of the statements:
//
//	sql       the statement
//	columns   [name, type] of each column of the result, as DESCRIBE OUTPUT reports them
//	error     [kind, "line:column", message] instead, if the statement is rejected; the position is "" if none is reported
//	rows      the rows, as in Trino's protocol, unless there are too many; numbers are json.Number
//	failure   like error, if the statement fails while it runs
//
// To add a statement, write it into a file and request the missing answers, which requires a JDK and Maven; "all"
// requests the answers to every statement again, which takes some minutes:
//
//	DIG_TEST_RENEW=missing bash .ci/witness go test ./pkg/trinosql/witness
//
// The directories language and system are like testdata, with answers of Trino 476 (WITNESS_VERSION=476 bash
// .ci/witness): the forms of the language that have come since or that zone local refuses, and the tables of the
// catalog system.
package witness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Statement is a statement of the corpus.
type Statement struct {
	File, SQL string
	TypesOnly bool
}

// Parameters reports whether a statement has a question mark outside of quotes, so that it cannot be run as it is.
func (s Statement) Parameters() bool {
	quote := rune(0)
	for _, r := range s.SQL {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
		case r == '\'' || r == '"':
			quote = r
		case r == '?':
			return true
		}
	}
	return false
}

// Answer is Trino's answer to a statement.
type Answer struct {
	SQL     string      `json:"sql"`
	Columns [][2]string `json:"columns,omitempty"`
	Error   *[3]string  `json:"error,omitempty"`
	Rows    [][]any     `json:"rows,omitzero"`
	Failure *[3]string  `json:"failure,omitempty"`
}

// Statements reads the corpus in a directory, without duplicates.
func Statements(dir string) ([]Statement, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	seen := map[string]bool{}
	var list []Statement
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		only := strings.HasPrefix(string(data), "-- types only\n")
		var text []string
		for _, line := range strings.Split(string(data), "\n") {
			if len(text) == 0 && (strings.HasPrefix(line, "--") || strings.TrimSpace(line) == "") {
				continue
			}
			text = append(text, line)
			if !strings.HasSuffix(line, ";") {
				continue
			}
			sql := strings.TrimSuffix(strings.Join(text, "\n"), ";")
			text = nil
			if !seen[sql] {
				seen[sql] = true
				list = append(list, Statement{filepath.Base(file), sql, only})
			}
		}
		if len(text) > 0 {
			return nil, fmt.Errorf("%s: the last statement has no semicolon", file)
		}
	}
	return list, nil
}

// Answers reads the answers kept in a directory, by statement, and the version of Trino that returned them. Where a
// later Trino answers a statement in another way, its answer in the directory language below counts.
func Answers(dir string) (version string, answers map[string]*Answer, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return "", nil, err
	}
	answers = map[string]*Answer{}
	for _, file := range files {
		v, err := readAnswers(file, answers)
		if err != nil {
			return "", nil, err
		}
		if version != "" && v != version {
			return "", nil, fmt.Errorf("%s: answers of Trino %s, but other files have answers of %s", file, v, version)
		}
		version = v
	}
	files, err = filepath.Glob(filepath.Join(dir, "language", "*.jsonl"))
	later := map[string]*Answer{}
	for _, file := range files {
		if _, err = readAnswers(file, later); err != nil {
			return "", nil, err
		}
	}
	for sql := range answers {
		if a := later[sql]; a != nil {
			answers[sql] = a
		}
	}
	return version, answers, err
}

func readAnswers(file string, answers map[string]*Answer) (version string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		a := &struct {
			Trino string
			Answer
		}{}
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		if err := dec.Decode(a); err != nil {
			return "", fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if n == 1 {
			version = a.Trino
		} else {
			answers[a.SQL] = &a.Answer
		}
	}
	return version, lines.Err()
}
