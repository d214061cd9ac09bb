package rowfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/sqltext"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"  // the text format of PostgreSQL's COPY: backslash escapes instead of quotes
	JSON    Format = "json" // objects in one list or consecutive, such as one per line, or the rows of a result
	Parquet Format = "parquet"
	XLSX    Format = "xlsx"
)

// UnionByName is the name of the option for several files that are read as one.
const UnionByName = "union-by-name"

// None is the value of an option that turns something off.
const None = "none"

// backslash is the word for the character as the value of --escape.
const backslash = "backslash"

// Options determine how a file is read. Zero values are detected.
type Options struct {
	Format  Format
	Samples bool // Learn stores samples of the values
	Way     Way  // how the user gives the options
	Anyhow  bool // options that do not concern the format of the file are none, instead of an error

	list  []setting // those that were given
	trial bool      // whether a file can be read so is tried: nothing is proposed

	encoded     bool // coding is given
	coding      Coding
	utf16       bool // of any byte order
	delimiter   byte
	quote       byte // 0 is the default
	noQuote     bool
	escape      string // "" or none, backslash or a character
	comment     byte
	skip        int64 // lines or rows
	headerFrom  int64 // the first line of the header, 0 for none
	headerLines int   // -1 for no header, 0 is one line
	footer      int
	nulls       []string
	notation    infer.Notation
	lenient     bool
	union       bool
	path        []string
	sheet       string
	area        area
	noFormulas  bool // formulas without a stored value are NULL
}

// setting is an option with its value.
type setting struct{ name, value string }

// Way is a way to give options.
type Way uint8

// The ways.
const (
	ByFlag     Way = iota // --header-row 3
	ByFileFlag            // of a command whose --null is that of its output
	ByWith                // 'FILE' WITH (header_row = 3)
	ByField               // the field header_row of a credential
)

// Kind is the type of the value of an option.
type Kind uint8

// The types.
const (
	Text Kind = iota
	Number
	Switch // true or false
	List   // of texts
)

// Option is an option of reading.
type Option struct {
	Name   string // of the flag
	Kind   Kind
	Help   string
	Values []string // to choose from, or the usual ones
	Field  string   // of a credential, if that differs; - for none

	formats string // that have it
	lack    string // of others
	set     func(o *Options, value string) error
}

// In is the name of the option in one of the ways.
func (o Option) In(way Way) string {
	switch {
	case way == ByFileFlag && o.Name == "null":
		return "file-null"
	case way <= ByFileFlag:
		return o.Name
	case way == ByField && o.Field != "":
		return o.Field
	}
	return strings.ReplaceAll(o.Name, "-", "_")
}

// withLines are the formats with delimiters.
const withLines = "csv tsv"

// All lists the options of reading. A list that is made for each call costs less than one at start.
func All() []Option {
	return []Option{
		{Name: "file-format", Help: "csv, json, ndjson, parquet or xlsx", Values: []string{"csv", "json", "ndjson",
			"parquet", "xlsx"}, set: setFormat},
		{Name: "encoding", Help: "of the text, such as windows-1252, latin-1 or utf-16", formats: withLines + " json",
			lack: "whose encoding is fixed", Values: []string{"utf-8", "utf-16", "windows-1252", "windows-1250",
				"latin-1"}, set: setEncoding},
		{Name: "delimiter", Help: "the character between fields, or tab", formats: withLines,
			lack: "which has no delimiter", set: setDelimiter},
		{Name: "quote", Help: "the character around fields, or none: quotes are text", formats: withLines,
			lack: "which has no quotes", set: setQuote},
		{Name: "escape", Help: "backslash: \\t \\n \\r \\\\ \\N are escapes, and quotes are text; with " +
			"--quote, and any other character: the next quote is text; none: backslashes are text", formats: withLines,
			lack: "which has no escapes of its own", Values: []string{backslash, None}, set: setEscape},
		{Name: "comment", Help: "the character at the beginning of lines that are no rows", formats: withLines,
			lack: "which has no comments", set: setComment},
		{Name: "skip", Kind: Number, Help: "leave out so many lines at the beginning, or rows of a sheet",
			formats: withLines + " xlsx", lack: "which has no lines", set: setSkip},
		{Name: "header-row", Help: "the line, or row of a sheet, with the names; 2-3 joins two lines, none: all " +
			"are rows", formats: withLines + " xlsx", lack: "which names its columns", Values: []string{None},
			set: setHeaderRow},
		{Name: "footer", Kind: Number, Help: "leave out so many lines at the end, not counting blank ones",
			formats: withLines + " xlsx", lack: "which has no lines", set: setFooter},
		{Name: "decimal", Help: "the decimal separator of numbers, such as a comma", formats: withLines,
			lack: "whose numbers have a point", set: setDecimal},
		{Name: "thousands", Help: "the separator of groups of three digits", formats: withLines,
			lack: "whose numbers have none", set: setThousands},
		{Name: "unit", Kind: List, Help: "a sign beside numbers that is left off, such as $, EUR or %; repeat",
			formats: withLines, lack: "whose numbers have none", set: func(o *Options, v string) error {
				return o.notation.AddUnit(v)
			}},
		{Name: "date-format", Help: "how dates and timestamps are written, such as %d.%m.%Y or %m/%d/%Y %H:%M",
			formats: withLines + " json xlsx", lack: "which declares its types", set: func(o *Options, v string) error {
				return o.notation.SetDates(v)
			}},
		{Name: "null", Kind: List, Help: "a text that is NULL, besides empty fields; repeat",
			set: func(o *Options, v string) error { o.nulls = append(o.nulls, v); return nil }},
		{Name: "lenient", Kind: Switch, Help: "take stray quotes as text, leave off blanks around quotes and " +
			"numbers, and fill short rows with NULL; each is counted", formats: withLines,
			lack: "whose rules are strict",
			set: func(o *Options, v string) error {
				err := setBool(&o.lenient, v)
				o.notation.Blanks = o.lenient
				return err
			}},
		{Name: UnionByName, Kind: Switch, Help: "a column that one of several files lacks is NULL in its rows",
			Field: "-", set: func(o *Options, v string) error { return setBool(&o.union, v) }},
		{Name: "path", Help: "where the objects are in a JSON document, such as $.items", Field: "json_path",
			formats: "json", lack: "which has no members", set: setPath},
		{Name: "sheet", Help: "the sheet of a workbook; the first visible one by default", formats: "xlsx",
			lack: "which has no sheets", set: func(o *Options, v string) error { o.sheet = v; return nil }},
		{Name: "range", Help: "the cells of a sheet, such as B3:F or B3:F20", formats: "xlsx",
			lack: "which has no cells", set: setRange},
		{Name: "empty-formulas", Kind: Switch, Help: "a formula without a stored value is NULL instead of an error",
			formats: "xlsx", lack: "which has no formulas",
			set: func(o *Options, v string) error { return setBool(&o.noFormulas, v) }},
	}
}

// OptionError is an error in the options: the file may be read with others.
type OptionError struct{ text string }

func (e *OptionError) Error() string { return e.text }

// errorf is the error of an option, as the user gives it.
func (o *Options) errorf(option, format string, args ...any) error {
	return &OptionError{o.Way.name(option) + ": " + fmt.Sprintf(format, args...)}
}

// named is the option of a name.
func named(name string) Option {
	all := All()
	return all[slices.IndexFunc(all, func(o Option) bool { return o.Name == name })]
}

// of reports whether files of a format have the option.
func (o *Option) of(format Format) bool {
	return o.formats == "" || slices.Contains(strings.Fields(o.formats), string(format))
}

// name is the name of an option in a message.
func (w Way) name(name string) string {
	opt := named(name)
	name = opt.In(w)
	switch w {
	case ByWith:
		return "option " + name
	case ByField:
		return "credential field " + strconv.Quote(name)
	}
	return "--" + name
}

// Concern reports whether an option that was given, but the format, concerns files of a format.
func (o *Options) Concern(format Format) bool {
	return slices.ContainsFunc(o.list, func(s setting) bool {
		opt := named(s.name)
		return s.name != "file-format" && opt.of(format)
	})
}

// Given reports whether any option was given.
func (o *Options) Given() bool { return len(o.list) > 0 }

// First is the first option that was given, as in messages.
func (o *Options) First() string { return o.Way.name(o.list[0].name) }

// Key is the same for options with which a document has the same rows. The format and the delimiter are not part of it:
// they are usually as detected.
func (o *Options) Key() (key string) {
	for _, s := range o.list {
		if o.changes(s) {
			key += fmt.Sprintf("%s %q\n", s.name, s.value)
		}
	}
	return key
}

// Changes reports whether any option but the format, the delimiter and the header is given.
func (o *Options) Changes() bool { return slices.ContainsFunc(o.list, o.changes) }

func (o *Options) changes(s setting) bool {
	return s.name != "file-format" && s.name != "delimiter" && !(s.name == "header-row" && o.headerLines < 0)
}

// serial reports whether a single reader has to read the file.
func (o *Options) serial() bool {
	return slices.ContainsFunc(o.list, func(s setting) bool {
		switch s.name {
		case "file-format", "encoding", "delimiter", "decimal", "thousands", "unit", "date-format", "null", UnionByName:
			return false
		}
		return s.name != "header-row" || o.headerLines > 0
	})
}

// Widens reports whether rows may have more fields than the first record.
func (o *Options) Widens() bool { return o.lenient }

// Union reports whether a column that one of several files lacks is NULL in its rows.
func (o *Options) Union() bool { return o.union }

// Set gives an option a value. The name is that of a way, in lower case.
func (o *Options) Set(name, value string) error {
	var names []string
	for _, opt := range All() {
		if opt.In(o.Way) == name && !(o.Way == ByField && opt.Field == "-") {
			if opt.Kind != List && slices.ContainsFunc(o.list, func(s setting) bool { return s.name == opt.Name }) {
				return o.errorf(opt.Name, "it is given twice")
			}
			if err := opt.set(o, value); err != nil {
				return o.errorf(opt.Name, "%v", err)
			}
			o.list = append(o.list, setting{opt.Name, value})
			return nil
		}
		names = append(names, opt.In(o.Way))
	}
	err := &OptionError{fmt.Sprintf("there is no option %q", name)}
	if near := nearest.Of(name, names); near != "" {
		err.text += fmt.Sprintf("; did you mean %s?", near)
	}
	return err
}

// With returns the options with others.
func (o Options) with(more ...setting) (Options, error) {
	out := Options{Format: o.Format, Samples: o.Samples, Way: ByFlag, Anyhow: o.Anyhow}
	for _, s := range slices.Concat(o.list, more) {
		if err := out.Set(s.name, s.value); err != nil {
			return out, err
		}
	}
	out.Way = o.Way
	return out, nil
}

// Text is the same for the same options: as they are written in a statement, with WITH; "" for none.
func (o *Options) Text() string { return ByWith.spell(o.list) }

// Spell writes an option as a user gives it.
func (w Way) Spell(name, value string) string { return w.spell([]setting{{name, value}}) }

// spell writes options as a user gives them.
func (w Way) spell(list []setting) string {
	if len(list) == 0 {
		return ""
	}
	var out []string
	for _, s := range list {
		opt := named(s.name)
		name := opt.In(w)
		switch {
		case w == ByField:
			out = append(out, fmt.Sprintf("%s=%s", name, s.value))
		case w == ByWith && (opt.Kind == Number || opt.Kind == Switch):
			out = append(out, name+" = "+s.value)
		case w == ByWith:
			out = append(out, name+" = "+sqltext.Literal(s.value))
		case opt.Kind == Switch:
			out = append(out, "--"+name)
		case strings.Trim(s.value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:+/@%") == "":
			out = append(out, "--"+name+" "+s.value)
		default:
			out = append(out, "--"+name+" '"+strings.ReplaceAll(s.value, "'", `'\''`)+"'")
		}
	}
	switch w {
	case ByWith:
		return "WITH (" + strings.Join(out, ", ") + ")"
	case ByField:
		return "the credential fields " + strings.Join(out, ", ")
	}
	return strings.Join(out, " ")
}

// checkOptions refuses options that the format of the file has not.
func (f *File) checkOptions() error {
	if len(f.opt.list) == 0 {
		return nil
	}
	var kept []setting
	for _, s := range f.opt.list {
		opt := named(s.name)
		switch {
		case opt.of(f.Format) || opt.Name == "escape" && s.value == None:
			kept = append(kept, s)
		case !f.opt.Anyhow:
			return f.opt.errorf(s.name, "the file is %s, %s", f.Format, opt.lack)
		}
	}
	if len(kept) < len(f.opt.list) {
		o := f.opt
		o.list = nil
		var err error
		if f.opt, err = o.with(kept...); err != nil {
			return err
		}
	}
	return f.opt.Check()
}
