package rowfile

import (
	"bytes"
	"errors"
	"fmt"
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

// foreign are ways of packing that are not read, by the first bytes of the file, and the extensions of their files.
var foreign = []struct{ head, ext, name string }{
	{"BZh", ".bz2", "bzip2"}, {"\xfd7zXZ\x00", ".xz", "xz"}, {"\x04\x22\x4d\x18", ".lz4", "LZ4"},
	{"7z\xbc\xaf\x27\x1c", ".7z", "7-Zip"}, {"PK\x05\x06", ".zip", "ZIP"},
}

// checkForeign refuses a file that is packed in a way that is not read.
func checkForeign(head []byte) error {
	for _, f := range foreign {
		text, ok := bytes.CutPrefix(head, []byte(f.head))
		if ok && (f.name != "bzip2" || len(text) > 6 && string(text[1:7]) == "1AY&SY") {
			return foreignError(f.name)
		}
	}
	return nil
}

func foreignError(name string) error {
	return fmt.Errorf("it is packed with %s, which is not read: unpack it, or pack it with gzip or zstd", name)
}

// CutForeign returns a file name without the extension of a file that is packed in a way that is not read.
func CutForeign(name string) (base string, ok bool) {
	for _, f := range foreign {
		if at := len(name) - len(f.ext); at > 0 && strings.EqualFold(name[at:], f.ext) {
			return name[:at], true
		}
	}
	return name, false
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
