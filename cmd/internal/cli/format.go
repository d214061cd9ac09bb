package cli

import "github.com/dig-cli/dig/pkg/output"

// HumanOutput tells that the result is laid out for reading, where dig may put words for codes.
func (e *Env) HumanOutput() bool {
	f := &e.Run.Flags
	if f.Jq != "" {
		return false
	}
	return f.Output.Human()
}

// ForReaders reports whether output goes to a person or a spreadsheet, for whom nested records are flattened.
func (e *Env) ForReaders() bool {
	switch e.Run.Flags.Output {
	case "", output.Table, output.Markdown, output.HTML, output.CSV, output.TSV:
		return true
	}
	return false
}
