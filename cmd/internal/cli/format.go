package cli

import "github.com/dig-cli/dig/pkg/output"

// HumanOutput reports whether the result is formatted for reading, so that codes may be replaced by words.
func (e *Env) HumanOutput() bool {
	f := &e.Run.Flags
	if f.Jq != "" {
		return false
	}
	return f.Output.Human()
}

// ForReaders reports whether the output goes to a person or a spreadsheet, for which nested records are flattened.
func (e *Env) ForReaders() bool {
	switch e.Run.Flags.Output {
	case "", output.Table, output.Markdown, output.HTML, output.CSV, output.TSV:
		return true
	}
	return false
}
