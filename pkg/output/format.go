package output

import (
	"slices"
	"strings"
)

// Format is the name of a format, and a flag value. "" is table, or json if JQ is set.
type Format string

// The names of the formats.
const (
	Table    Format = "table"
	JSON     Format = "json"
	NDJSON   Format = "ndjson"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	YAML     Format = "yaml"
	Markdown Format = "markdown"
	HTML     Format = "html"
	XLSX     Format = "xlsx"
	Parquet  Format = "parquet"
)

// Formats lists the names of all formats.
func Formats() []string {
	return []string{"table", "json", "ndjson", "csv", "tsv", "yaml", "markdown", "html", "xlsx", "parquet"}
}

// FormatOf returns the format of a name in any case, including md, jsonl and yml. An unknown name is returned
// unchanged; Check rejects it.
func FormatOf(name string) Format {
	switch f := strings.ToLower(name); f {
	case "md":
		return Markdown
	case "jsonl":
		return NDJSON
	case "yml":
		return YAML
	default:
		if slices.Contains(Formats(), f) {
			return Format(f)
		}
	}
	return Format(name)
}

// Known reports whether the format exists.
func (f Format) Known() bool { return slices.Contains(Formats(), string(f)) }

// JSON reports whether the format consists of JSON values, so that errors are a JSON object too.
func (f Format) JSON() bool { return f == JSON || f == NDJSON }

// Human reports whether the format is formatted for reading.
func (f Format) Human() bool { return f == "" || f == Table || f == Markdown || f == HTML }

// String, Set and Type implement pflag.Value.
func (f Format) String() string { return string(f) }

func (f *Format) Set(name string) error {
	*f = FormatOf(name)
	return nil
}

func (*Format) Type() string { return "string" }
