package table

import (
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newTableSampleCmd(e *cli.Env) *cobra.Command {
	var rows bool
	c := &cobra.Command{Use: "sample TABLE", Aliases: []string{"template"},
		Short: "Print the header of a CSV file that can be imported", Args: cobra.ExactArgs(1),
		Long: "Print the header of a CSV file that can be imported. The gateway also returns five example rows; " +
			"they import\nlike real ones, so they are printed only with --rows.",
		Example: "  " + e.Name + " table sample people > people.csv"}
	c.Flags().BoolVar(&rows, "rows", false, "print the example rows too")
	cli.Annotate(c, spec.GetSampleCsv)
	cli.Prints[cli.Text](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := e.OutputOptions(); err != nil {
			return err
		}
		cl, err := e.Client()
		if err != nil {
			return err
		}
		ctx := cli.OwnRequest(c.Context(), spec.GetSampleCsv)
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return err
		}
		raw, err := cl.Tables.Sample(ctx, p, args[0])
		if err != nil {
			return err
		}
		text := strings.TrimRight(string(raw), "\n")
		if strings.TrimSpace(text) == "" {
			return &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: "there is no table " + args[0] +
				": the gateway returned an empty sample"}
		}
		if !rows {
			text, _, _ = strings.Cut(text, "\n")
		}
		w, commit, abort, err := e.Writer()
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			abort()
			return err
		}
		return commit()
	}
	return c
}
