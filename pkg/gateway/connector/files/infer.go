package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// distinct gives a new name to columns without a name, or with the name of an earlier column, and describes these
// changes.
func distinct(names []string) (distinct, changed []string) {
	return rowfile.Names(names, math.MaxInt, strings.ToLower, func(string) bool { return true })
}

// describe reads a whole file and determines its columns, their types as far as possible, and the number of rows.
func (f *folder) describe(ctx context.Context, r *place, t file, d *described) error {
	if t.form == formParquet {
		return f.describeParquet(ctx, r, t, d)
	}
	recs, err := r.records(ctx, t, *d)
	if err != nil {
		return err
	}
	defer recs.Close()
	names := slices.Clone(recs.header())
	switch r := recs.(type) {
	case *csvRecords:
		d.csv = r.form
	case *sheetRecords:
		d.sheets = r.book.Selected()
	}
	guesses := make([]infer.Column, len(names))
	index := newObject(nil)
	for ; ; d.rows++ {
		if err := ctx.Err(); d.rows%1024 == 0 && err != nil {
			return err
		}
		rec, err := recs.next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, s := range rec.fields {
			if i == len(names) { // of a sheet
				names, guesses = append(names, ""), append(guesses, infer.Column{Nullable: d.rows > 0}) //nolint:makezero // as below
			}
			switch {
			case s == nil || *s == "": // an empty string remains one in a varchar column, and is NULL in others
				guesses[i].Nullable = true
			case rec.kinds != nil && rec.kinds[i] == rowfile.String:
				guesses[i].AddString([]byte(*s))
			case rec.kinds != nil && rec.kinds[i] == rowfile.Opaque:
				guesses[i].AddText()
			case rec.kinds != nil && rec.kinds[i] == rowfile.Double:
				guesses[i].AddDouble([]byte(*s))
			default:
				guesses[i].AddField([]byte(*s))
			}
		}
		if err := index.record(rec); err != nil {
			return err
		}
		for i, m := range rec.members {
			at := index.at[i]
			if at == len(names) {
				names, guesses = append(names, string(m.name)), append(guesses, infer.Column{Nullable: d.rows > 0}) //nolint:makezero // one for each name of the header, and more
			}
			addMember(&guesses[at], m)
		}
	}
	members := names
	names, d.renamed = distinct(names)
	for i, name := range names {
		if recs.header() == nil && index.times[i] < d.rows { // some record has no such member
			guesses[i].Nullable = true
		}
		c := column{engine.ColumnInfo{Name: name, Type: guesses[i].Type(), Nullable: guesses[i].Nullable ||
			!guesses[i].Seen}, i, ""}
		if recs.header() == nil {
			c.member = members[i]
		}
		d.cols = append(d.cols, c)
	}
	d.guesses = guesses
	return nil
}

// addMember adds a value of a JSON object.
func addMember(c *infer.Column, m jsonMember) {
	switch m.kind {
	case 0:
		c.AddNull()
	case 's':
		c.AddString(m.value)
	case 'j':
		c.AddNested()
	default:
		c.AddField(m.value)
	}
}

// cellOf converts the value of a record's field for a column to the form of engine.Batches.
func cellOf(fields []*string, c column) (any, error) {
	if c.at >= len(fields) || fields[c.at] == nil || *fields[c.at] == "" && c.Type != "varchar" {
		return nil, nil
	}
	return valueOf(*fields[c.at], c)
}

func valueOf(s string, c column) (any, error) {
	switch c.Type {
	case "bigint":
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, changed(s, c)
		}
		return n, nil
	case "boolean":
		v := infer.Classify([]byte(s))
		if v.Kind != infer.Flag {
			return nil, changed(s, c)
		}
		return s[0]|0x20 == 't', nil
	case "date":
		t, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return nil, changed(s, c)
		}
		return t, nil
	case "timestamp":
		t, ok := infer.ParseMoment(s)
		if !ok {
			return nil, changed(s, c)
		}
		return t, nil
	case "double":
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, changed(s, c)
		}
		return f, nil
	case "json":
		if !json.Valid([]byte(s)) {
			return nil, changed(s, c)
		}
	}
	if strings.HasPrefix(c.Type, "decimal") { // .5 and -.5
		if rest, ok := strings.CutPrefix(s, "."); ok {
			s = "0." + rest
		} else if rest, ok := strings.CutPrefix(s, "-."); ok {
			s = "-0." + rest
		}
	}
	return strings.Clone(s), nil
}

func changed(s string, c column) error {
	return fmt.Errorf("%q is not a valid %s; %w", s, c.Type, errChanged)
}
