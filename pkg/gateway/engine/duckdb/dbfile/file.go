//go:build cgo

package dbfile

import (
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/blocks"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// File is an open file.
type File struct{ db bindings.Database }

// OpenError is DuckDB's message about a file that it does not open.
type OpenError struct{ Message string }

func (e *OpenError) Error() string { return e.Message }

// Open opens a file with settings, which are pairs of a name and a value. The error is an OpenError if DuckDB rejects
// the file.
func Open(path string, settings [][2]string) (*File, error) {
	var cfg bindings.Config
	if bindings.CreateConfig(&cfg) == bindings.StateError {
		return nil, errors.New("the engine rejected a configuration")
	}
	defer bindings.DestroyConfig(&cfg)
	for _, s := range settings {
		if bindings.SetConfig(cfg, s[0], s[1]) == bindings.StateError {
			return nil, fmt.Errorf("the engine does not know the setting %s", s[0])
		}
	}
	f := &File{}
	var message string
	var state bindings.State
	blocks.Guest(func() { state = bindings.OpenExt(path, &f.db, cfg, &message) })
	if state == bindings.StateError {
		return nil, &OpenError{message}
	}
	return f, nil
}

// Close closes the file. All its connections must be closed.
func (f *File) Close() { bindings.Close(&f.db) }

// Conn is a connection to a file, for one statement at a time.
type Conn struct{ c bindings.Connection }

// Connect opens a connection.
func (f *File) Connect() (*Conn, error) {
	c := &Conn{}
	if bindings.Connect(f.db, &c.c) == bindings.StateError {
		return nil, errors.New("the engine rejected a connection")
	}
	return c, nil
}

// Close closes the connection. Its statement must be closed.
func (c *Conn) Close() { bindings.Disconnect(&c.c) }

// Exec runs statements without rows on a connection of its own.
func (f *File) Exec(statements []string) error {
	c, err := f.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	for _, sql := range statements {
		var res bindings.Result
		var state bindings.State
		blocks.Guest(func() { state = bindings.Query(c.c, sql, &res) })
		message := bindings.ResultError(&res)
		bindings.DestroyResult(&res)
		if state == bindings.StateError {
			return fmt.Errorf("%s: %s", sql, message)
		}
	}
	return nil
}
