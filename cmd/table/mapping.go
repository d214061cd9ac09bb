package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

// importColumns returns the columns of the table that --create creates: those named by --map, or one for each column of
// the file. A column with the name of a system column is an error, because it cannot be created.
func importColumns(k tableKind, maps, header, names []string) (*newColumns, error) {
	n := &newColumns{}
	if len(maps) > 0 {
		var mapped []string
		for _, m := range maps {
			col, from, _ := strings.Cut(m, "=")
			if col == "text" || slices.Contains(mapped, col) {
				continue
			}
			at, err := fileColumn(m, from, header, names)
			if err != nil {
				return nil, err
			}
			mapped = append(mapped, col)
			n.from = append(n.from, at)
		}
		names = mapped
	}
	for i, name := range names {
		if name == "text" {
			continue // the only system column that an import may fill
		}
		if systemName(name) {
			f := exitcode.Usagef("--create cannot create a column named %q: every table has a system column of this "+
				"name, which cannot be set", name)
			other := strings.Trim(name, "_")
			for slices.Contains(names, other) || systemName(other) {
				other += "2"
			}
			return nil, f.WithHint("give it another name, and name the other columns as well: --map %s --map ...",
				shell.Quote(other+"="+name))
		}
		n.defs = append(n.defs, api.ColumnRequest{Name: name, DataType: intake.Varchar, DisplayName: name})
		if len(maps) == 0 {
			n.from = append(n.from, i)
		}
	}
	n.given = make([]bool, len(n.defs))
	return n, checkColumns(k, "--create", n.defs)
}

// fileColumn returns the index of the column of the file that an entry of --map refers to.
func fileColumn(m, from string, header, names []string) (int, error) {
	if n, ok := position(from); ok {
		if n < 0 || header != nil && n >= int64(len(header)) {
			return 0, exitcode.Usagef("--map %q: the file has %d columns, counted from #0", m, len(header))
		}
		return int(min(n, 1<<30)), nil
	}
	at, times := -1, 0
	for i, h := range header {
		if h == from {
			if times++; at < 0 {
				at = i
			}
		}
	}
	if times == 0 {
		at = slices.Index(names, from) // a generated name
	}
	switch {
	case times > 1:
		col, _, _ := strings.Cut(m, "=")
		return 0, exitcode.Usagef("--map %q: the file has %d columns called %q", m, times,
			from).WithHint("choose one by its position: --map %s", shell.Quote(col+"=#N"))
	case at < 0:
		f := exitcode.Usagef("--map %q: the file has no column %q", m, from)
		if s := nearest.Of(from, header); s != "" {
			f = f.WithHint("did you mean %q?", s)
		}
		return 0, f
	}
	return at, nil
}

// position parses #INDEX.
func position(from string) (int64, bool) {
	digits, ok := strings.CutPrefix(from, "#")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil
}

// asListed returns columns that are still to be created in the form of a column list.
func asListed(k tableKind, defs []api.ColumnRequest) []api.ColumnDetail {
	cols := make([]api.ColumnDetail, 0, len(rowset.SystemNames)+len(defs))
	for _, n := range rowset.SystemNames {
		cols = append(cols, api.ColumnDetail{Name: n})
	}
	for _, d := range defs {
		cols = append(cols, api.ColumnDetail{Name: k.stored(d.Name), DataType: strings.ToLower(d.DataType),
			IsUnique: d.IsUnique != nil && *d.IsUnique, IsNotNull: d.IsNotNull != nil && *d.IsNotNull})
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

// onlyIndexes reports whether --map names columns of the file by position alone.
func onlyIndexes(maps []string) bool {
	return len(maps) > 0 && !slices.ContainsFunc(maps, func(m string) bool { return !strings.Contains(m, "=#") })
}

// checkMaps checks --map before anything is read or requested.
func checkMaps(maps []string, hasHeader bool) error {
	seen := map[string]bool{}
	for _, m := range maps {
		col, from, ok := strings.Cut(m, "=")
		switch {
		case !ok || col == "" || from == "":
			return exitcode.Usagef("--map %q is not COLUMN=HEADER or COLUMN=#INDEX", m)
		case systemName(col) && col != "text":
			return exitcode.Usagef("--map %q: %q is a system column and cannot be set", m, col)
		case seen[col]:
			return exitcode.Usagef("--map %q: the column %q is mapped twice", m, col)
		}
		seen[col] = true
		if n, err := strconv.ParseInt(strings.TrimPrefix(from, "#"), 10, 64); !hasHeader && (err != nil || n < 0 ||
			!strings.HasPrefix(from, "#")) {
			return exitcode.Usagef("--map %q: a file without a header has no column %q", m,
				from).WithHint("use COLUMN=#INDEX")
		}
	}
	return nil
}

// counted is a number of columns for a message.
func counted(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}

// importMapping maps the table's columns to those of the file, and rejects columns that would silently be lost or stay
// empty. names are those of the header, or their replacements.
func importMapping(k tableKind, maps, names []string, hasHeader bool, doc *document,
	cols []api.ColumnDetail) (api.ImportRequest, error) {
	header, width := doc.Header, doc.Width
	req := api.ImportRequest{ContainsHeader: hasHeader, Mappings: []api.ImportMapping{}}
	known := map[string]bool{}
	var own []string
	for _, c := range cols {
		known[c.Name] = true
		if !rowset.SystemColumn(c.Name) {
			own = append(own, c.Name)
		}
	}
	inFile := map[string]int{}
	for _, h := range header {
		inFile[h]++
	}
	// entry fills a column from one of the file, by its name if that is the only one
	entry := func(col string, at int) {
		m := api.ImportMapping{Name: col}
		if at < len(header) && inFile[header[at]] == 1 && header[at] != "" {
			m.CSVColumnName = header[at]
		} else {
			n := int64(at)
			m.CSVColumnIndex = &n
		}
		req.Mappings = append(req.Mappings, m)
	}
	if len(maps) == 0 && !hasHeader && width > 0 && width != len(own) {
		return req, exitcode.Usagef("the file has %s, and the table %s", counted(width), counted(len(own))).
			WithHint("the table has: %s; choose with --map COLUMN=#INDEX, from 0", strings.Join(own, ", "))
	}
	if len(maps) == 0 && !hasHeader {
		for i, n := range own {
			entry(n, i)
		}
		return req, nil
	}
	if len(maps) == 0 {
		for i, h := range header {
			if rowset.SystemColumn(h) && h != "text" {
				continue // an exported file contains them; they cannot be set
			}
			name := names[i]
			if !known[name] {
				name = k.stored(name)
			}
			switch {
			case known[name]:
				entry(name, i)
			case h == "":
				first := doc.FirstValue(i)
				if first != "" {
					first = "; its first value is " + first
				}
				return req, exitcode.Usagef("column %d of the file has no name, and the table has no column %q%s", i+1,
					names[i], first).WithHint("choose with --map COLUMN=HEADER, or --map COLUMN=#%d for this one; the "+
					"table has: %s", i, strings.Join(own, ", "))
			case inFile[h] > 1:
				return req, exitcode.Usagef("the file has %d columns called %q", inFile[h],
					h).WithHint("choose one by its position: --map %s", shell.Quote(h+"=#N"))
			default:
				f := exitcode.Usagef("the file's column %q matches no column of the table", h)
				if s := nearest.Of(h, own); s != "" {
					return req, f.WithHint("did you mean %q? map it with --map %s", s, shell.Quote(s+"="+h))
				}
				return req, f.WithHint("the table has: %s; choose with --map COLUMN=HEADER", strings.Join(own, ", "))
			}
		}
		return req, nil
	}
	for _, m := range maps {
		col, from, _ := strings.Cut(m, "=")
		if !known[col] && known[k.stored(col)] {
			col = k.stored(col)
		}
		if !known[col] {
			return req, exitcode.Usagef("--map %q: the table has no column %q", m, col).WithHint("the table has: %s",
				strings.Join(own, ", "))
		}
		at, err := fileColumn(m, from, header, names)
		if err != nil {
			return req, err
		}
		if n, ok := position(from); ok {
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: col, CSVColumnIndex: &n})
		} else {
			entry(col, at)
		}
	}
	return req, nil
}
