package output

import (
	"slices"
	"strings"
)

// Format is the name of a format, and the value of a flag that asks for one. "" is table, or json when JQ is set.
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

// FormatOf is the format that is meant by a name in any case, by md, jsonl or yml. A name of no format stays as it is; Check refuses it.
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

// Known reports whether there is such a format.
func (f Format) Known() bool { return slices.Contains(Formats(), string(f)) }

// JSON reports whether a program reads the format as JSON values, so that errors are a JSON object too.
func (f Format) JSON() bool { return f == JSON || f == NDJSON }

// Human reports whether the format is laid out for reading.
func (f Format) Human() bool { return f == "" || f == Table || f == Markdown || f == HTML }

// String, Set and Type make it the value of a flag.
func (f Format) String() string { return string(f) }

func (f *Format) Set(name string) error {
	*f = FormatOf(name)
	return nil
}

func (*Format) Type() string { return "string" }
