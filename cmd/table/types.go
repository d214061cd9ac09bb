package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// newColumns are the columns of the table that --create creates, with the column of the file that each is filled from.
type newColumns struct {
	defs  []api.ColumnRequest
	from  []int  // index in the file
	given []bool // the type is set by --column
}

// override sets the properties of columns from --column.
func (n *newColumns) override(k tableKind, columns []string) error {
	var names []string
	for _, d := range n.defs {
		names = append(names, d.Name)
	}
	for _, text := range columns {
		d, err := parseColumn(text)
		if err != nil {
			return err
		}
		at := -1
		for i, name := range names {
			if name == d.Name || at < 0 && strings.EqualFold(k.stored(name), k.stored(d.Name)) {
				at = i
			}
		}
		if at < 0 {
			f := exitcode.Usagef("--column %q: the table would have no column %q", text, d.Name)
			if s := nearest.Of(d.Name, names); s != "" {
				return f.WithHint("did you mean %q?", s)
			}
			return f.WithHint("it would have: %s", strings.Join(names, ", "))
		}
		if n.given[at] {
			return exitcode.Usagef("--column %q: the column %q is given twice", text, d.Name)
		}
		d.Name, d.DisplayName = n.defs[at].Name, n.defs[at].DisplayName
		n.defs[at], n.given[at] = d, true
	}
	return checkColumns(k, "--column", n.defs)
}

// infer sets the types that the values of the file have.
func (n *newColumns) infer(choices []intake.Choice) []intake.Choice {
	said := make([]intake.Choice, len(n.defs))
	for i := range n.defs {
		switch {
		case n.given[i]:
			said[i] = intake.Choice{Type: n.defs[i].DataType, Reason: "by --column"}
		case n.from[i] < len(choices):
			said[i] = choices[n.from[i]]
			n.defs[i].DataType = said[i].Type
			if said[i].Narrow {
				n.defs[i].Widens = &said[i].Narrow
			}
		}
	}
	return said
}

// printTypes prints the type of each column.
func (n *newColumns) printTypes(w io.Writer, table string, rows int64, said []intake.Choice) {
	wide := 0
	for _, d := range n.defs {
		wide = max(wide, min(displaywidth.String(d.Name), 30))
	}
	fmt.Fprintf(w, "column types of %s, inferred from %s %s:\n", table, humanize.Comma(rows),
		english.PluralWord(int(rows), "row", ""))
	for i, d := range n.defs {
		c := said[i]
		line := "  " + d.Name + strings.Repeat(" ", max(wide-displaywidth.String(d.Name), 0)) + "  " +
			strings.ToLower(c.Type)
		if c.Reason != "" {
			line += strings.Repeat(" ", max(len("timestamp")-len(c.Type), 0)) + "  " + c.Reason
		}
		if c.Null != "" {
			line += fmt.Sprintf("; with --null %s they are NULL and it is %s", shell.Quote(c.Null),
				strings.ToLower(c.Other))
		}
		fmt.Fprintln(w, line)
	}
}

// differs returns an error if a table that exists does not have the columns that --column asks for.
func (n *newColumns) differs(k tableKind, table string, cols []api.ColumnDetail) error {
	for i, d := range n.defs {
		if !n.given[i] {
			continue
		}
		for _, c := range cols {
			if c.Name == k.stored(d.Name) && !api.SameColumnType(c.DataType, d.DataType) {
				return exitcode.Usagef("--column %s:%s: the table %s exists, and its column has type %s", d.Name,
					strings.ToLower(d.DataType), table, c.DataType).
					WithHint("`dig %s column update` changes the type of a column", k.noun)
			}
			for _, word := range lacks(d, c) {
				if c.Name == k.stored(d.Name) {
					return exitcode.Usagef("--column %s:%s:%s: the table %s exists, and its column is not %[3]s",
						d.Name, strings.ToLower(d.DataType), word, table).
						WithHint("`dig %s column update` changes a column", k.noun)
				}
			}
		}
	}
	return nil
}

// lacks returns the words of --column, unique and notnull, that a column does not have.
func lacks(want api.ColumnRequest, have api.ColumnDetail) (words []string) {
	if want.IsUnique != nil && *want.IsUnique && !have.IsUnique {
		words = append(words, "unique")
	}
	if want.IsNotNull != nil && *want.IsNotNull && !have.IsNotNull {
		words = append(words, "notnull")
	}
	return words
}
