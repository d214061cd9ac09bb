package sync

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
)

// mayOverwrite rejects changing or removing files whose contents exist nowhere else: those that are not committed in
// git. In a directory without a project it rejects changing or removing any file.
func mayOverwrite(ctx context.Context, full, dir string, foreign bool, write, remove []string) error {
	var there []string
	for _, file := range slices.Concat(write, remove) {
		_, err := os.Lstat(filepath.Join(full, filepath.FromSlash(file)))
		if err == nil {
			there = append(there, file)
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			return err
		}
	}
	if len(there) == 0 {
		return nil
	}
	lost, why, hint := there, "has no "+manifest.Marker+", so its files are not those of a project: ",
		"choose another directory, or give --force to overwrite and remove them"
	if !foreign {
		lost, why, hint = uncommitted(ctx, full, there, cli.ProgramEnv()),
			"has files that differ from the project and are not committed in git: ",
			"commit them first, or give --force to overwrite and remove them"
		if err := ctx.Err(); err != nil { // git was stopped and has no result
			return err
		}
	}
	if len(lost) == 0 {
		return nil
	}
	const most = 5
	list := strings.Join(lost[:min(len(lost), most)], ", ")
	if len(lost) > most {
		list += ", ..."
	}
	return (&exitcode.Failure{Exit: exitcode.Conflict, Code: "local-changes", Msg: dir + " " + why + list}).
		WithHint("%s", hint)
}

// uncommitted returns the files whose contents are not committed in git: all files if git is not available.
func uncommitted(ctx context.Context, full string, files []string, env []string) []string {
	r, err := openRepository(ctx, full, env)
	if err != nil {
		return files
	}
	defer r.close()
	changed, err := r.git("ls-files", "-z", "--modified", "--others", "--", ".")
	if err != nil {
		return files
	}
	tracked, err := r.git("ls-files", "-z", "-v", "--", ".")
	if err != nil {
		return files
	}
	staged, err := r.git("diff-index", "--cached", "--name-only", "--relative", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "-z", r.head, "--", ".")
	if err != nil {
		return files
	}
	set := func(list, prefix string) map[string]bool {
		out := map[string]bool{}
		for _, f := range strings.Split(list, "\x00") {
			if name, ok := strings.CutPrefix(f, prefix); ok {
				out[name] = true
			}
		}
		return out
	}
	// git detects no changes of tracked files without the prefix H
	is, known, index := set(changed, ""), set(tracked, "H "), set(staged, "")
	var out []string
	for _, f := range files {
		if is[f] || index[f] || !known[f] {
			out = append(out, f)
		}
	}
	return out
}
