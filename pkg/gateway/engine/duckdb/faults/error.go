// Package faults reads the errors of DuckDB and turns them into those of the contract, in the words of Trino.
package faults

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// Error is an error of DuckDB as errors_as_json=true gives it.
type Error struct {
	Type    string // Binder, Catalog, Conversion, Constraint, "Out of Range", ...
	Message string
}

func (e *Error) Error() string { return e.Message }

// Fatal reports whether DuckDB will reject every statement until the database is opened again.
func (e *Error) Fatal() bool {
	return e.Type == "FATAL" || e.Type == "Fatal" || strings.Contains(e.Message, "database has been invalidated")
}

// NoTable reports whether the message of a description says that the table does not exist.
func NoTable(msg string) bool { return strings.HasPrefix(msg, "No table with that schema+name") }

// NoTransaction reports whether an error of ROLLBACK says that the transaction has ended already.
func NoTransaction(err error) bool {
	var d *Error
	return errors.As(err, &d) && strings.Contains(d.Message, "no transaction is active")
}

var noMemory = late.Regexp(`^(` + inCommit + `)?(failed to allocate|could not allocate|failed to pin block)`)

// NoMemory reports whether a statement got no memory, because of the limit of the instance or of the process.
func (e *Error) NoMemory() bool {
	return e.Type == "Out of Memory" || noMemory().MatchString(e.Message)
}

// InCommit reports whether a change got no memory while it was being stored.
func (e *Error) InCommit() bool { return e.NoMemory() && strings.HasPrefix(e.Message, inCommit) }

const inCommit = "Failed to commit: "

// OfProcess reports whether an error for which NoMemory is true is about the limit of the process.
func (e *Error) OfProcess() bool {
	return strings.HasPrefix(e.Message, "Failed to allocate block") || strings.HasPrefix(e.Message,
		"Allocation failure")
}

// noTempRoom begins the error of a statement whose temporary files reached their limit.
const noTempRoom = "the temporary files of this project have reached their limit: "

// Parse parses an error text; fatal reports whether DuckDB classifies it as fatal. Some texts have a prefix before the
// JSON, and a few are not JSON at all.
func Parse(text string, fatal bool) *Error {
	e := &Error{Message: text}
	if i := strings.IndexByte(text, '{'); i >= 0 && strings.Contains(text, `"exception_message"`) {
		var j struct {
			Type    string `json:"exception_type"`
			Message string `json:"exception_message"`
		}
		if json.Unmarshal([]byte(text[i:]), &j) == nil {
			e.Type, e.Message = j.Type, j.Message
		}
	}
	if e.Type == "" {
		e.Type, e.Message = splitErrorPrefix(e.Message)
	}
	if fatal {
		e.Type = "FATAL"
	}
	// Stack traces and advice are of no use to the user.
	e.Message, _, _ = strings.Cut(e.Message, "\n\nStack Trace")
	first, _, more := strings.Cut(e.Message, "\n")
	switch {
	case strings.Contains(e.Message, "max_temp_directory_size"):
		e.Message = noTempRoom + strings.TrimSuffix(first, ".")
	case more && (strings.Contains(e.Message, "Possible solutions") || strings.Contains(e.Message, "duckdb.org")):
		e.Message = first
	}
	e.Message = strings.Trim(e.Message, "\r\n")
	return e
}

// splitErrorPrefix splits "Out of Memory Error: text".
func splitErrorPrefix(s string) (typ, msg string) {
	if i := strings.Index(s, " Error: "); i > 0 && i < 40 && !strings.ContainsAny(s[:i], "\n:") {
		return s[:i], s[i+len(" Error: "):]
	}
	return "", s
}
