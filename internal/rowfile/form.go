package rowfile

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/objects"
)

// ErrOldWorkbook is the error for a workbook that only Excel reads.
var ErrOldWorkbook = errors.New(
	"this is a workbook of Excel 2003 or older, or an encrypted one: save it as .xlsx without a password")

// formatOf detects a binary format from the first four bytes of a file; "" is none. old is set for a workbook that only
// Excel reads.
func formatOf(head []byte) (format Format, old bool) {
	switch string(head) {
	case "PAR1":
		return Parquet, false
	case "PK\x03\x04":
		return XLSX, false
	}
	return "", string(head) == "\xd0\xcf\x11\xe0"
}

// Unpacked is a file name without the extension of a compressed file.
func Unpacked(name string) string {
	for _, s := range []string{".gz", ".zst", ".zstd"} {
		if len(name) > len(s) && strings.EqualFold(name[len(name)-len(s):], s) {
			return name[:len(name)-len(s)]
		}
	}
	return name
}

// Ending is the format of a file, compressed or not, according to its name: csv, tsv, json, parquet or xlsx; "" for
// other names. json includes files with an object on each line.
func Ending(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(Unpacked(name)), "."))
	for _, e := range extensions {
		if e.name == ext {
			return e.format
		}
	}
	return ""
}

// extensions are those of files of rows, and their formats.
var extensions = []struct{ name, format string }{
	{"csv", "csv"}, {"tsv", "tsv"}, {"tab", "tsv"}, {"ndjson", "json"}, {"jsonl", "json"}, {"json", "json"},
	{"jsonlines", "json"},
	{"parquet", "parquet"}, {"parq", "parquet"}, {"xlsx", "xlsx"}, {"xlsm", "xlsx"},
}

// Extensions lists the extensions of files of rows.
func Extensions() (names []string) {
	for _, e := range extensions {
		names = append(names, e.name)
	}
	return names
}

// looksLikeJSON recognizes the beginning of objects, alone or in a list, which is unlikely to be a header of CSV. What
// else is JSON, a list of other values or null, has no rows, and would be a header without any.
func looksLikeJSON(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(Mark)))
	if string(head) == "null" || objects.IsList(head) {
		return true
	}
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		head = bytes.TrimLeft(rest, " \t\r\n")
	}
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}
