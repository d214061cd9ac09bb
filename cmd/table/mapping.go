package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
)

// importColumns are the columns of the table that --create creates: those that --map names, else one for each column of
// the file. Columns with the name of a system column cannot be created, and would be lost.
func importColumns(k tableKind, maps, header []string) ([]api.ColumnRequest, error) {
	names := header
	if len(maps) > 0 {
		names = nil
		for _, m := range maps {
			if col, _, _ := strings.Cut(m, "="); col != "text" && !slices.Contains(names, col) {
				names = append(names, col)
			}
		}
	}
	if len(names) == 0 {
		return nil, cli.Usagef("--create requires a header to derive the columns from").WithHint("name the columns with --map COLUMN=#INDEX")
	}
	var defs []api.ColumnRequest
	for i, n := range names {
		if n == "text" {
			continue // the only system column that an import may fill
		}
		if n == "" {
			return nil, cli.Usagef("column %d of the file has no name, so --create cannot create it", i+1).WithHint("name the columns with --map COLUMN=#INDEX")
		}
		if systemName(n) {
			f := cli.Usagef("--create cannot create a column named %q: every table has a system column of this name, which cannot be set", n)
			other := strings.Trim(n, "_")
			for slices.Contains(names, other) || systemName(other) {
				other += "2"
			}
			return nil, f.WithHint("give it another name, and name the other columns as well: --map %q --map ...", other+"="+n)
		}
		defs = append(defs, api.ColumnRequest{Name: n, DataType: "VARCHAR", DisplayName: n})
	}
	if len(maps) == 0 {
		seen := map[string]string{}
		for _, d := range defs {
			at := strings.ToLower(k.stored(d.Name))
			if was, twice := seen[at]; twice {
				return nil, cli.Usagef("the file's columns %q and %q would be the same column of the table", was, d.Name).WithHint("name the columns with --map COLUMN=#INDEX")
			}
			seen[at] = d.Name
		}
	}
	return defs, checkColumns(k, "--create", defs)
}

// asListed returns columns that are still to be created in the form of a column list.
func asListed(k tableKind, defs []api.ColumnRequest) []api.ColumnDetail {
	cols := make([]api.ColumnDetail, 0, len(rowset.SystemNames)+len(defs))
	for _, n := range rowset.SystemNames {
		cols = append(cols, api.ColumnDetail{Name: n})
	}
	for _, d := range defs {
		cols = append(cols, api.ColumnDetail{Name: k.stored(d.Name), DataType: strings.ToLower(d.DataType)})
	}
	return cols
}

// leftOut are the system columns in a header that an import without --map skips; an exported file contains them.
func leftOut(maps, header []string) []string {
	var out []string
	for _, h := range header {
		if len(maps) == 0 && rowset.SystemColumn(h) && h != "text" {
			out = append(out, h)
		}
	}
	return out
}

// checkMaps checks --map before anything is read or requested.
func checkMaps(maps []string, hasHeader bool) error {
	seen := map[string]bool{}
	for _, m := range maps {
		col, from, ok := strings.Cut(m, "=")
		switch {
		case !ok || col == "" || from == "":
			return cli.Usagef("--map %q is not COLUMN=HEADER or COLUMN=#INDEX", m)
		case systemName(col) && col != "text":
			return cli.Usagef("--map %q: %q is a system column and cannot be set", m, col)
		case seen[col]:
			return cli.Usagef("--map %q: the column %q is mapped twice", m, col)
		}
		seen[col] = true
		if n, err := strconv.ParseInt(strings.TrimPrefix(from, "#"), 10, 64); !hasHeader && (err != nil || n < 0 || !strings.HasPrefix(from, "#")) {
			return cli.Usagef("--map %q: a file without a header has no column %q", m, from).WithHint("use COLUMN=#INDEX")
		}
	}
	return nil
}

// importMapping maps the table's columns to those of the file, and rejects what would silently be lost or left empty.
func importMapping(k tableKind, maps, header []string, hasHeader bool, cols []api.ColumnDetail) (api.ImportRequest, error) {
	req := api.ImportRequest{ContainsHeader: hasHeader, Mappings: []api.ImportMapping{}}
	known := map[string]bool{}
	var names []string
	for _, c := range cols {
		known[c.Name] = true
		if !rowset.SystemColumn(c.Name) {
			names = append(names, c.Name)
		}
	}
	inFile := map[string]int{}
	for _, h := range header {
		inFile[h]++
	}
	if len(maps) == 0 {
		if !hasHeader {
			for i, n := range names {
				at := int64(i)
				req.Mappings = append(req.Mappings, api.ImportMapping{Name: n, CSVColumnIndex: &at})
			}
			return req, nil
		}
		for _, h := range header {
			if rowset.SystemColumn(h) && h != "text" {
				continue // an exported file contains them; they cannot be set
			}
			name := h
			if !known[name] {
				name = k.stored(h)
			}
			if !known[name] {
				f := cli.Usagef("the file's column %q matches no column of the table", h)
				if s := otherForm(header); s != "" {
					return req, f.WithHint("%s", s)
				}
				if s := nearest.Of(h, names); s != "" {
					return req, f.WithHint("did you mean %q? map it with --map %q", s, s+"="+h)
				}
				return req, f.WithHint("the table has: %s; choose with --map COLUMN=HEADER", strings.Join(names, ", "))
			}
			if inFile[h] > 1 {
				return req, cli.Usagef("the file has %d columns called %q", inFile[h], h).WithHint("choose one by its position: --map %q", h+"=#N")
			}
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: name, CSVColumnName: h})
		}
		return req, nil
	}
	for _, m := range maps {
		col, from, _ := strings.Cut(m, "=")
		if !known[col] && known[k.stored(col)] {
			col = k.stored(col)
		}
		if !known[col] {
			return req, cli.Usagef("--map %q: the table has no column %q", m, col).WithHint("the table has: %s", strings.Join(names, ", "))
		}
		if n, err := strconv.ParseInt(strings.TrimPrefix(from, "#"), 10, 64); err == nil && strings.HasPrefix(from, "#") {
			if n < 0 || hasHeader && n >= int64(len(header)) {
				return req, cli.Usagef("--map %q: the file has %d columns, counted from #0", m, len(header))
			}
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: col, CSVColumnIndex: &n})
			continue
		}
		if inFile[from] != 1 {
			f := cli.Usagef("--map %q: the file has no column %q", m, from)
			if inFile[from] > 1 {
				return req, cli.Usagef("--map %q: the file has %d columns called %q", m, inFile[from], from).WithHint("choose one by its position: --map %q", col+"=#N")
			}
			if s := nearest.Of(from, header); s != "" {
				f = f.WithHint("did you mean %q?", s)
			}
			return req, f
		}
		req.Mappings = append(req.Mappings, api.ImportMapping{Name: col, CSVColumnName: from})
	}
	return req, nil
}

// otherForm returns what the format of the file may be, given a header that is a single field, or "" if unknown.
func otherForm(header []string) string {
	if len(header) != 1 {
		return ""
	}
	switch h := header[0]; {
	case strings.HasPrefix(h, "\xff\xfe"), strings.HasPrefix(h, "\xfe\xff"):
		return "the file is UTF-16: save it as UTF-8"
	case strings.Contains(h, ";"):
		return "its fields seem to be separated by semicolons: save it with commas"
	case strings.Contains(h, "\t"):
		return "its fields seem to be separated by tabs: save it with commas"
	}
	return ""
}

// refuseExamples rejects a file that contains only the example rows of the gateway's sample: they import like real ones
// [L].
func refuseExamples(head *bufio.Reader, header []string) error {
	at := slices.Index(header, "text")
	raw, err := head.Peek(1 << 16)
	if at < 0 || !errors.Is(err, io.EOF) { // a sample is short
		return nil // the import reads further and returns the error again
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))).ReadAll()
	if err != nil || len(rows) != 6 {
		return nil // no sample
	}
	for _, r := range rows[1:] {
		if r[at] != "sample text" {
			return nil
		}
	}
	return cli.Usagef("the file contains only the five example rows of a sample").WithHint("`dig table sample` prints the header only; give --again to import them anyway")
}
