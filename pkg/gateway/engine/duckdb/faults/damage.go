package faults

import (
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/late"
)

const restoreData = "restore the file from a backup, or everything with " + damage.Restore +
	"; `dig gateway verify` checks all files"

// damaged matches errors of DuckDB that say that a data file, or its log, is not what was written. Those about
// temporary files do not count.
var damaged = late.Regexp(`Corrupt database file|not a valid DuckDB database file|Failure while replaying WAL|Failed ` +
	`to deserialize|` +
	`Could not read (?:enough bytes )?from file "[^"]*data\.duckdb(?:\.wal)?"`)

// otherwise matches errors of opening a file that say nothing about its contents.
var otherwise = late.Regexp(`(?i)Could not set lock on file|Too many open files|Permission denied|failed to ` +
	`allocate|could not allocate|Out of Memory`)

// newerFile matches the error for a file that was written by a later version of DuckDB.
var newerFile = late.Regexp(`(?i)Trying to read a database file with version number`)

// Damage returns the error for a data file ("" for memory) that cannot be opened: if nothing else is known to be the
// reason, its contents are.
func Damage(path string, err error) error {
	var d *Error
	switch {
	case path == "" || !errors.As(err, &d) || NoSpace(d.Message):
		return err
	case newerFile().MatchString(d.Message):
		return damage.New(nil, "install that version or a later one, or set DIG_DATA_DIR to another directory",
			"the data file %s was written by a newer version of dig", path)
	case otherwise().MatchString(d.Message) && !damaged().MatchString(d.Message):
		return err
	}
	return damage.New(d, restoreData, "the data file %s is damaged", path)
}

// DamagedBy returns the error for a data file if an error of a statement says that it is damaged, else the error
// itself.
func (e *Error) DamagedBy(path string) error {
	if damaged().MatchString(e.Message) {
		return damage.New(errors.New(e.Message), restoreData, "the data file %s is damaged", path)
	}
	return e
}

// Lost is the error for a data file that does not exist although a project has one.
func Lost(path string) error {
	return damage.New(nil,
		"restore the directory of the project from a backup, or everything with "+damage.Restore+
			", or delete the project",
		"the rows of this project are missing: %s does not exist", path)
}

// NoFolder is the error for a directory of all projects whose name is that of a file.
func NoFolder(path string) error {
	return damage.New(nil, restoreData, "the rows of all projects are missing: a folder %s does not exist, but a file",
		path)
}

// Short is the error for a data file that lacks its end.
func Short(path string) error {
	return damage.New(nil, restoreData, "the data file %s is damaged: its end is missing", path)
}

// NoFile is the error for a data file whose name is that of something else.
func NoFile(path string) error {
	return damage.New(nil, restoreData, "the data file %s is not a file", path)
}

// Empty is the error for a data file without contents.
func Empty(path string) error {
	return damage.New(nil, restoreData, "the data file %s is empty", path)
}
