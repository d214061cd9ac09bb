package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/archive"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/spf13/cobra"
)

// restored is what restore prints.
type restored struct {
	DataDir     string   `json:"dataDir"`
	Moment      string   `json:"moment"`
	Dig         string   `json:"dig"` // the version that made the backup
	Projects    int      `json:"projects"`
	Key         string   `json:"key"`
	Connections []string `json:"connections"` // whose credentials must be given again
}

func newGatewayRestoreCmd(e *cli.Env) *cobra.Command {
	var pass string
	var replace, noKey bool
	c := &cobra.Command{Use: "restore FILE|DIR", Short: "Restore zone local from a backup", Args: cobra.ExactArgs(1),
		Long: `Restore zone local from a backup into the data directory, which must be empty.

All checksums are compared and every file is opened before anything is put in its place. If dig is killed,
the directory is as before, or as in the backup. A backup of an earlier version is upgraded; one of a newer version
is refused. With --replace a directory with data is replaced, after a prompt; what it has is deleted.

Exports, caches and queries that were running at the moment of the backup have failed.`,
		Example: fmt.Sprintf("  DIG_DATA_DIR=/srv/dig %[1]s gateway restore zone.tar.zst --passphrase-file "+
			"passphrase.txt\n  %[1]s gateway restore monday --replace", e.Name)}
	passphraseFlag(c, &pass, "file with the passphrase of the key of the credentials, - for stdin")
	c.Flags().BoolVar(&replace, "replace", false, "replace what the data directory has")
	c.Flags().BoolVar(&noKey, "without-key", false,
		"restore without the key that the backup has; the credentials of connections must be given again")
	return cli.Plain[restored](e, c, func(ctx context.Context, args []string) (cli.View, error) {
		if err := e.Permit(); err != nil {
			return cli.View{}, err
		}
		dir, err := ownData(e)
		if err != nil {
			return cli.View{}, err
		}
		if noKey && pass != "" {
			return cli.View{}, exitcode.Usagef("--without-key and --passphrase-file are mutually exclusive")
		}
		from := e.Abs(args[0])
		if _, err := os.Stat(from); err != nil {
			return cli.View{}, e.Unread("FILE", args[0], err)
		}
		if within(from, dir) {
			return cli.View{}, exitcode.Usagef("%s is within the data directory %s", from, dir)
		}
		word, err := passphrase(e, pass)
		if err != nil {
			return cli.View{}, err
		}
		if err := gateway.CheckRestore(dir, replace); err != nil {
			return cli.View{}, notRestored(err, dir)
		}
		if replace {
			if err := e.Ask().ConfirmHere("zone local: replace everything in %s by %s?", dir, from); err != nil {
				return cli.View{}, err
			}
		}
		if err := e.DryRunStep("restore zone local (%s) from %s", dir, from); err != nil || e.DryRun() {
			return cli.View{}, err
		}
		r := restoring{e: e, from: from, word: word, noKey: noKey, out: restored{DataDir: dir, Connections: []string{}}}
		if err := gateway.Restore(dir, replace, func(into string) error { return r.fill(ctx, into) }); err != nil {
			return cli.View{}, notRestored(err, dir)
		}
		v := cli.Object(r.out, "dataDir", "moment", "dig", "projects", "key", "connections")
		var notes []string
		if r.out.Key == keyKept {
			notes = append(notes, "the backup is restored without a key: "+filepath.Join(dir, keyName)+
				" stays as it was before")
		}
		if n := len(r.out.Connections); n > 0 {
			notes = append(notes, fmt.Sprintf("%s needs its credentials again (`dig connection update`): %s",
				phrase.Plural(n, "1 connection", "each of %d connections"), strings.Join(r.out.Connections, ", ")))
		}
		v.Note = strings.Join(notes, "; ")
		return v, nil
	})
}

// restoring unpacks a backup.
type restoring struct {
	e     *cli.Env
	from  string
	word  string // the passphrase
	noKey bool
	out   restored
}

func (r *restoring) fill(ctx context.Context, into string) error {
	m, err := unpack(ctx, r.from, into)
	if err != nil {
		return err
	}
	r.out.Moment, r.out.Dig, r.out.Projects, r.out.Key = m.Moment, m.Dig, len(m.Projects), m.Key
	switch {
	case m.Key == keyLeftOut && r.word != "":
		return noSealedKey()
	case m.Key != keySealed:
	case r.word != "":
		err = unsealKey(into, r.word)
	case r.noKey:
		r.out.Key, err = keyLeftOut, os.Remove(filepath.Join(into, sealedName))
	default:
		return exitcode.Usagef("the backup has the key of the stored credentials, encrypted with a passphrase").
			WithHint("give --passphrase-file, or --without-key to give the credentials of connections again")
	}
	if err != nil {
		return err
	}
	if r.out.Key != keySealed { // none: there was none, or it was lost before the backup
		kept, lost, err := gateway.SettleKey(ctx, into, r.out.DataDir, r.e.Now)
		if err != nil {
			return err
		}
		if r.out.Connections = lost; kept {
			r.out.Key = keyKept
		}
	}
	found, err := r.e.VerifyData(ctx, into, zone.Each)
	for _, f := range found {
		if f.Status == zone.StatusDamaged {
			p := archive.Problem{File: f.Part + " " + inBackup(f.Name, into), Text: inBackup(f.Problem, into)}
			return &archive.Damage{Path: r.from, Problems: []archive.Problem{p}}
		}
	}
	return err
}

// inBackup is a text in which paths are those of the files of a backup, not where they were unpacked.
func inBackup(text, dir string) string {
	return strings.ReplaceAll(text, dir+string(filepath.Separator), "")
}

// unpack unpacks a backup that this version reads.
func unpack(ctx context.Context, from, into string) (archive.Manifest, error) {
	m, err := archive.Extract(ctx, from, into)
	switch {
	case err != nil:
		return m, err
	case m.Kind != archive.KindBackup:
		return m, exitcode.Usagef("%s is not a backup of zone local but an exported %s", from, m.Kind).
			WithHint("`dig project import` reads it")
	case m.Schema > store.Schema():
		return m, fmt.Errorf("%s: %w that this version restores: dig %s has made it (schema %d, this version knows %d)",
			from, archive.ErrForm, m.Dig, m.Schema, store.Schema())
	}
	return m, nil
}

// notRestored is the failure of a restore. Nothing was changed by it.
func notRestored(err error, dir string) error {
	var known *exitcode.Failure
	var bad *archive.Damage
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, gateway.ErrHasData):
		return &exitcode.Failure{Exit: exitcode.Conflict, Code: "has-data", Msg: err.Error() + "; nothing was changed",
			Hint: "set DIG_DATA_DIR to another directory, or give --replace", Err: err}
	case errors.Is(err, gateway.ErrOthersFiles):
		return &exitcode.Failure{Exit: exitcode.Conflict, Code: "has-data", Msg: err.Error(),
			Hint: "set DIG_DATA_DIR to another directory", Err: err}
	case errors.As(err, &bad):
		return &exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindDamaged), Msg: err.Error() +
			"; nothing was restored", Err: err,
			Hint: "take another backup; `dig gateway verify " + shell.Quote(bad.Path) + "` lists all that is wrong"}
	case errors.Is(err, archive.ErrForm):
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "no-backup", Msg: err.Error(), Err: err}
	case errors.Is(err, syscall.ENOSPC):
		return &exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindFull), Msg: err.Error() +
			"; nothing was restored", Hint: "free some space on the disk of " + dir, Err: err}
	case errors.Is(err, gateway.ErrServing), errors.Is(err, gateway.ErrInUse), errors.As(err, new(*zone.Elsewhere)):
		return inUse(err)
	}
	return err
}
