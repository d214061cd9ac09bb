package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/backups"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// backedUp is what backup prints.
type backedUp struct {
	Path     string `json:"path"`
	Moment   string `json:"moment"`
	Projects int    `json:"projects"`
	Bytes    int64  `json:"bytes"`
	Key      string `json:"key"` // sealed, left out or none
}

// The values of backedUp.Key, of the manifest of a backup, and of restored.Key.
const (
	keySealed  = "sealed"
	keyLeftOut = "left out"
	keyNone    = "none"
	keyKept    = "kept" // that which the data directory had
)

func newGatewayBackupCmd(e *cli.Env) *cobra.Command {
	var pass string
	c := &cobra.Command{Use: "backup FILE|DIR", Short: "Store state and rows of zone local, of one moment, elsewhere",
		Args: cobra.ExactArgs(1),
		Long: `Store state and rows of zone local, of one moment, in a file or a directory.

A name that ends in .tar, .tar.zst or .tar.gz is that of a file, every other one that of a directory, which
is created or empty. Nothing is overwritten. docs/backup.md describes the form.

All projects are copied as they are at the moment at which the state is copied, whether a gateway serves them or
not. Statements that read go on. Changes wait until the moment is over, a fraction of a second. Without
` + "`" + e.Name + ` gateway serve` + "`" + ` those of other processes wait until their project is copied, as processes
cannot share a transaction.
Each copy is compared with the rows that it has. The disk of the data directory needs room for a copy of all
rows.

Credentials of connections are sealed with secret.key. With --passphrase-file it is stored as well,
encrypted with the passphrase in the form of age (age-encryption.org); otherwise it is left out, and they must
be given again after a restore.`,
		Example: fmt.Sprintf("  %[1]s gateway backup zone.tar.zst\n  %[1]s gateway backup /mnt/backup/monday "+
			"--passphrase-file passphrase.txt", e.Name)}
	passphraseFlag(c, &pass,
		"store the key of the credentials too, encrypted with the passphrase in this file, - for stdin")
	return cli.Leaf[backedUp](e, spec.BackupLocal, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		dir, err := wholeZone(e)
		if err != nil {
			return cli.View{}, err
		}
		if s := e.Run.Settings; !s.Local() {
			return cli.View{}, exitcode.Usagef("%s has no files on this machine", s.Where()).
				WithHint("give --zone local")
		}
		if err := archive.Named(args[0]); err != nil {
			return cli.View{}, exitcode.Usagef("FILE|DIR: %v", err)
		}
		to := e.Abs(args[0])
		if err := vacant(to, dir); err != nil {
			return cli.View{}, err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
				Msg: fmt.Sprintf("there is nothing to back up: %s does not exist", dir)}
		}
		if err := gateway.Elsewhere(dir); err != nil {
			return cli.View{}, notOpened(err)
		}
		phrase, err := passphrase(e, pass)
		if err != nil {
			return cli.View{}, err
		}
		if e.DryRun() {
			_, err := cl.Backup(ctx, filepath.Join(dir, backups.TempPrefix+"1", backups.FilesName))
			return cli.View{}, err
		}
		out, err := backup(ctx, cl, dir, to, phrase)
		if err != nil {
			return cli.View{}, notStored(err, to)
		}
		v := cli.Object(out, "path", "moment", "projects", "bytes", "key").PrintValue()
		if out.Key == keyLeftOut {
			v = v.WithNote("the key of the stored credentials is left out: after a restore they must be given again; " +
				"--passphrase-file stores it encrypted")
		}
		return v, nil
	})
}

func passphraseFlag(c *cobra.Command, into *string, usage string) {
	c.Flags().StringVar(into, "passphrase-file", "", usage)
}

// vacant fails unless a backup can be written to a path: nothing is there, or an empty directory.
func vacant(to, data string) error {
	if within(to, data) {
		return exitcode.Usagef("%s is within the data directory %s, which would be lost together with it", to, data)
	}
	if err := archive.Vacant(to); err != nil {
		return exitcode.Occupied(err)
	}
	return nil
}

// within reports whether a path is that of a directory or is below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// backup has the gateway copy its data to a temporary directory, and stores that as an archive.
func backup(ctx context.Context, cl *api.Client, dir, to, phrase string) (out backedUp, err error) {
	temp, done, err := tempfile.MkdirTempIn(dir, backups.TempPrefix)
	if err != nil {
		return out, err
	}
	defer done()
	files := filepath.Join(temp, backups.FilesName)
	if err := os.Mkdir(files, 0o700); err != nil {
		return out, err
	}
	b, err := cl.Backup(ctx, files)
	if err != nil {
		return out, err
	}
	m := archive.Manifest{Kind: archive.KindBackup, Dig: cli.BuildVersion(), Moment: b.Moment, Schema: b.Schema}
	for _, p := range b.Projects {
		m.Projects = append(m.Projects, archive.Project{ID: p.ID, Name: p.Name})
	}
	if m.Key, err = sealKey(filepath.Join(dir, keyName), files, phrase); err != nil {
		return out, err
	}
	if err := archive.Write(ctx, to, files, m); err != nil {
		return out, err
	}
	out = backedUp{Path: to, Moment: b.Moment, Projects: len(b.Projects), Key: m.Key}
	out.Bytes, err = sizeOf(to)
	return out, err
}

// sizeOf is the size of a file, or of all files of a directory.
func sizeOf(path string) (n int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			n += st.Size()
		}
		return err
	})
	return n, err
}

// notStored is the failure to write an archive; those of the gateway are passed on.
func notStored(err error, to string) error {
	var call *api.Error
	if errors.As(err, &call) && call.Unsure { // of its own, the gateway writes temporary files only
		call.Unsure, call.Hint = false, "no backup was written; try again"
		if call.Kind == api.KindFull {
			call.Hint = "no backup was written; a copy of all rows needs room in the data directory"
		}
	}
	if call != nil || errors.Is(err, context.Canceled) {
		return err
	}
	f := &exitcode.Failure{Exit: exitcode.Failed, Code: "not-written", Msg: fmt.Sprintf("%s cannot be written: %v", to,
		err), Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		f.Code, f.Hint = string(api.KindFull), "free some space on the disk; nothing was left there"
	case errors.Is(err, fs.ErrExist):
		return exitcode.Occupied(err)
	case errors.Is(err, fs.ErrPermission):
		f.Exit = exitcode.NotAllowed
	}
	return f
}

// ownData is the data directory of a command that changes it as a whole: the settings must choose zone local of this
// process.
func ownData(e *cli.Env) (string, error) {
	dir, err := wholeZone(e)
	if err != nil {
		return "", err
	}
	s, err := e.Settings()
	if err != nil {
		return "", err
	}
	if !s.InProcess() {
		where := s.Where()
		if s.Local() {
			where = "the gateway at " + s.BaseURL.Value
		}
		return "", exitcode.Usagef("the settings choose %s, and this changes data of this machine", where).
			WithHint("give --zone local, without a base address")
	}
	return dir, nil
}
