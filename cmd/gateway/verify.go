package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

func newGatewayVerifyCmd(e *cli.Env) *cobra.Command {
	var pass string
	c := &cobra.Command{Use: "verify [FILE|DIR]",
		Short: "Read all data of zone local or of a backup, and name what is damaged or missing",
		Args:  cobra.MaximumNArgs(1),
		Long: `Read all data of zone local, and name what is damaged or missing.

The structure of the state file, the stored credentials and the rows of all projects, with their
checksums, are read. Nothing is changed, and other processes may use the data meanwhile; the file of a project
that one of them changes is copied first.
` + "`" + e.Name + ` doctor` + "`" + ` opens the same files without reading the rows.

With a file or a directory that ` + "`" + e.Name + ` gateway backup` + "`" + ` has written, that is unpacked
to the directory for temporary files, and its files and their checksums are verified in the same way. Those of a
project that ` + "`" + e.Name + ` project export` + "`" + ` has written are compared with their checksums.

The exit code is 7 if something is damaged or missing, else 0.`,
		Example: "  " + e.Name + " gateway verify\n  " + e.Name + " gateway verify zone.tar.zst"}
	passphraseFlag(c, &pass, "file with the passphrase of the key in the backup, to verify it too; - for stdin")
	return cli.Plain[[]zone.Finding](e, c,
		func(ctx context.Context, args []string) (cli.View, error) {
			dir, err := wholeZone(e)
			if err != nil {
				return cli.View{}, err
			}
			found := []zone.Finding{}
			switch _, err := os.Stat(dir); {
			case len(args) > 0:
				dir = args[0]
				if found, err = verifyBackup(ctx, e, dir, pass); err != nil {
					return cli.View{}, err
				}
			case pass != "":
				return cli.View{}, exitcode.Usagef("--passphrase-file is for the verification of a backup")
			case !errors.Is(err, fs.ErrNotExist):
				if err := gateway.Elsewhere(dir); err != nil {
					return cli.View{}, notOpened(err)
				}
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

// verifyBackup verifies an archive by unpacking it.
func verifyBackup(ctx context.Context, e *cli.Env, name, pass string) ([]zone.Finding, error) {
	from := e.Abs(name)
	if _, err := os.Stat(from); err != nil {
		return nil, e.Unread("FILE", name, err)
	}
	word, err := passphrase(e, pass)
	if err != nil {
		return nil, err
	}
	temp, done, err := tempfile.MkdirTemp("dig-verify-")
	if err != nil {
		return nil, err
	}
	defer done()
	dir := filepath.Join(temp, "files")
	m, err := archive.Extract(ctx, from, dir)
	var bad *archive.Damage
	switch {
	case errors.As(err, &bad):
		return ofArchive(name, bad.Problems), nil
	case errors.Is(err, archive.ErrForm):
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "no-backup", Msg: err.Error(), Err: err}
	case err != nil:
		return nil, err
	}
	found := ofArchive(name, nil)
	if m.Kind != archive.KindBackup {
		return found, nil
	}
	unsealed := m.Key == keySealed && word != ""
	if unsealed {
		if err := unsealKey(dir, word); err != nil {
			return nil, err
		}
	} else if m.Key == keyLeftOut && word != "" {
		return nil, noSealedKey()
	}
	parts, err := e.VerifyData(ctx, dir, zone.Rows)
	for _, f := range parts {
		f.Name, f.Problem = inBackup(f.Name, dir), inBackup(f.Problem, dir)
		if f.Part == keyName && !unsealed {
			continue
		}
		if f.Status == zone.StatusDamaged && f.Part != "connection" {
			f.Remedy = anotherBackup
		}
		found = append(found, f)
	}
	return found, err
}

const anotherBackup = "take another backup"

// ofArchive are the findings about an archive as such.
func ofArchive(name string, bad []archive.Problem) (all []zone.Finding) {
	if len(bad) == 0 {
		return []zone.Finding{{Part: "archive", Name: name, Status: zone.StatusOK}}
	}
	for _, p := range bad {
		f := zone.Finding{Part: "file", Name: p.File, Status: zone.StatusDamaged, Problem: p.Text,
			Remedy: anotherBackup}
		if p.File == "" {
			f.Part, f.Name = "archive", name
		}
		all = append(all, f)
	}
	return all
}
