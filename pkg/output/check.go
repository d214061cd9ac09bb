package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/nearest"
)

// UsageError is an unknown column or an invalid combination of options. Its Hint says what to do instead; it may be
// empty.
type UsageError = cell.UsageError

// Check validates the options as a set, before any request. Errors are *UsageError.
func Check(o Options) error {
	f := o.format()
	if !f.Known() {
		hint := "use one of " + strings.Join(Formats(), ", ")
		if near := nearest.Of(string(f), Formats()); near != "" {
			hint = fmt.Sprintf("did you mean %s? All formats: %s", near, strings.Join(Formats(), ", "))
		}
		return cell.Usagef(hint, "unknown output format %q", f)
	}
	if o.JQ != "" {
		if f != JSON && f != NDJSON {
			return cell.Usagef("omit -o, or use -o json or -o ndjson",
				"--jq requires json and cannot be used with -o %s", f)
		}
		if len(o.Columns) > 0 {
			return cell.Usagef("choose the fields in the jq program", "--columns cannot be used with --jq")
		}
		if _, err := compileJQ(o.JQ); err != nil {
			return err
		}
	}
	if o.Raw && o.Typed {
		return cell.Usagef("", "--raw and --typed are mutually exclusive")
	}
	if o.NoHeader && !slices.Contains([]Format{Table, CSV, TSV, HTML, XLSX}, f) {
		return cell.Usagef("", "--no-header cannot be used with -o %s", f)
	}
	if o.Null != "" && !slices.Contains([]Format{Table, CSV, TSV, Markdown, HTML}, f) {
		return cell.Usagef("", "--null cannot be used with -o %s, which has its own null", f)
	}
	if f == TSV && strings.ContainsAny(o.Null, "\t\n\r") || strings.ContainsAny(o.Null, "\",\r\n") && f == CSV {
		return cell.Usagef("", "--null must not contain a separator, quote or line break")
	}
	if f != Table {
		if o.Vertical {
			return cell.Usagef("", "--vertical is a form of the table and cannot be used with -o %s", f)
		}
		if o.MaxRows != 0 {
			return cell.Usagef("limit the rows of the query itself",
				"a limit on rows to show cannot be used with -o %s", f)
		}
	}
	if o.Terminal && (f == XLSX || f == Parquet) {
		return cell.Usagef("write it to a file with --out FILE, or pipe it",
			"-o %s is binary and cannot be written to a terminal", f)
	}
	if slices.Contains(o.Columns, "") {
		return cell.Usagef("", "--columns contains an empty name")
	}
	return nil
}
