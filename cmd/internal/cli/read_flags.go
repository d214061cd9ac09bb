package cli

import (
	"iter"

	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ReadingFlag is the annotation of the flags that say how files are read.
const ReadingFlag = "reading"

// ReadFlags are the flags of a command that say how files are read.
type ReadFlags struct {
	fs  *pflag.FlagSet
	way rowfile.Way
}

// AddReadFlags adds the flags to a command that reads one file, or the files that a pattern matches.
func AddReadFlags(c *cobra.Command, way rowfile.Way, patterns bool) *ReadFlags {
	f := &ReadFlags{c.Flags(), way}
	for _, o := range rowfile.All() {
		name := o.In(way)
		if o.Name == rowfile.UnionByName && !patterns {
			continue
		}
		switch o.Kind {
		case rowfile.Number:
			f.fs.Int64(name, 0, o.Help)
		case rowfile.Switch:
			f.fs.Bool(name, false, o.Help)
		case rowfile.List:
			f.fs.StringArray(name, nil, o.Help)
		default:
			f.fs.String(name, "", o.Help)
		}
		f.fs.Lookup(name).Annotations = map[string][]string{ReadingFlag: nil}
		if len(o.Values) > 0 {
			complete.Values(c, name, o.Values...)
		}
	}
	return f
}

// Options returns the options of the flags that were given.
func (f *ReadFlags) Options() (rowfile.Options, error) {
	o := rowfile.Options{Way: f.way}
	for opt, flag := range f.given() {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err := o.Set(opt.In(f.way), v); err != nil {
				return o, exitcode.Usagef("%v", err)
			}
		}
	}
	if err := o.Check(); err != nil {
		return o, exitcode.Usagef("%v", err)
	}
	return o, nil
}

// Given is the first of the flags that was given; "" for none.
func (f *ReadFlags) Given() string {
	for _, flag := range f.given() {
		return flag.Name
	}
	return ""
}

// given passes the options whose flags were given.
func (f *ReadFlags) given() iter.Seq2[rowfile.Option, *pflag.Flag] {
	return func(yield func(rowfile.Option, *pflag.Flag) bool) {
		for _, o := range rowfile.All() {
			if flag := f.fs.Lookup(o.In(f.way)); flag != nil && flag.Changed && !yield(o, flag) {
				return
			}
		}
	}
}
