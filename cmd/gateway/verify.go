package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

func newGatewayVerifyCmd(e *cli.Env) *cobra.Command {
	return cli.Plain[[]zone.Finding](e, &cobra.Command{Use: "verify",
		Short: "Read all data of zone local, and name what is damaged or missing", Args: cobra.NoArgs,
		Long: `Read all data of zone local, and name what is damaged or missing.

The state file, the key of the stored credentials and the rows of all projects are read, with their
checksums. Nothing is changed, and other processes may use the data meanwhile; the file of a project
that one of them changes is copied first.
` + "`" + e.Name + ` doctor` + "`" + ` opens the same files without reading the rows.

The exit code is 7 if something is damaged or missing, else 0.`,
		Example: "  " + e.Name + " gateway verify"},
		func(ctx context.Context, _ []string) (cli.View, error) {
			dir, err := wholeZone(e)
			if err != nil {
				return cli.View{}, err
			}
			found := []zone.Finding{}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				if found, err = e.VerifyData(ctx, dir, zone.Rows); err != nil {
					return cli.View{}, err
				}
			}
			bad := 0
			for _, f := range found {
				if f.Status == zone.StatusDamaged {
					bad++
				}
			}
			v := cli.List(found, "part", "name", "status", "problem", "remedy")
			if bad > 0 {
				v.Fail = &exitcode.Failure{Exit: exitcode.Job, Code: "findings",
					Msg: phrase.Plural(bad, "1 part", "%d parts") +
						" of " + dir + " cannot be read"}
			}
			return v, nil
		})
}
