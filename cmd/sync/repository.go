package sync

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/late"
)

// repository is a git repository that somebody else may have written. Its configuration can name programs that git runs
// (filters, monitors, hooks, remotes that objects are fetched from), so git does not get to see it: it runs on an empty
// repository of its own, with the index, the objects and the working tree of the other.
type repository struct {
	ctx  context.Context
	full string // the directory of the files
	own  string // the empty repository
	head string // the commit that is checked out
	env  []string
}

var (
	errNoRepository = errors.New("not in a git repository with a commit")
	objectName      = late.Regexp(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

// openRepository finds the repository of a directory. Bare ones, which are no more than directories of another, are not
// looked for.
func openRepository(ctx context.Context, full string, env []string) (*repository, error) {
	root, dir, err := gitDir(full)
	if err != nil {
		return nil, err
	}
	common := dir
	if raw, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil { // of another working tree
		common = resolved(dir, strings.TrimSpace(string(raw)))
	}
	r := &repository{ctx: ctx, full: full}
	if r.head, err = headOf(dir, common); err != nil {
		return nil, err
	}
	if r.own, err = tempfile.MkdirPlain("dig-git-"); err != nil {
		return nil, err
	}
	format := "[core]\nrepositoryFormatVersion = 0\n"
	if len(r.head) == 64 {
		format = "[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n"
	}
	err = errors.Join(os.Mkdir(filepath.Join(r.own, "refs"), 0o700), os.WriteFile(filepath.Join(r.own, "HEAD"),
		[]byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(r.own, "config"), []byte(format), 0o600))
	if err != nil {
		r.close()
		return nil, err
	}
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(strings.ToUpper(name), "GIT_") {
			r.env = append(r.env, v)
		}
	}
	r.env = append(r.env, "GIT_DIR="+r.own, "GIT_WORK_TREE="+root, "GIT_INDEX_FILE="+filepath.Join(dir, "index"),
		"GIT_OBJECT_DIRECTORY="+filepath.Join(common, "objects"),
		"GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=")
	// How line ends are stored is a setting of the machine or of the repository. It is read as text, before the
	// machine's settings are left out, too.
	ends := map[string]string{}
	for _, name := range []string{"core.autocrlf", "core.eol"} {
		for _, from := range [][]string{{"config", "--get", name}, {"config", "--file", filepath.Join(common, "config"),
			"--no-includes", "--get", name}} {
			if out, err := r.git(from...); err == nil {
				ends[name] = strings.ToLower(strings.TrimSpace(out))
			}
		}
	}
	r.env = append(r.env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1")
	more := ""
	for name, value := range ends {
		switch value {
		case "true", "false", "input", "lf", "crlf", "native":
			more += "\t" + strings.TrimPrefix(name, "core.") + " = " + value + "\n"
		}
	}
	if err := os.WriteFile(filepath.Join(r.own, "config"),
		[]byte(format+"[core]\n\tfileMode = false\n\tbare = false\n\thooksPath = "+os.DevNull+"\n"+more), 0o600); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *repository) git(args ...string) (string, error) {
	c := exec.CommandContext(r.ctx, "git", append([]string{"-C", r.full, "-c", "core.quotePath=false", "-c",
		"core.fsmonitor=false", "-c", "safe.bareRepository=explicit"}, args...)...)
	c.Env = r.env
	out, err := c.Output()
	return string(out), err
}

func (r *repository) close() { _ = os.RemoveAll(r.own) }

// gitDir finds the working tree that a directory is in, and the directory with its index.
func gitDir(full string) (root, dir string, err error) {
	if root, err = filepath.EvalSymlinks(full); err != nil {
		return "", "", err
	}
	for {
		at := filepath.Join(root, ".git")
		switch st, err := os.Stat(at); {
		case err == nil && st.IsDir():
			return root, at, nil
		case err == nil && st.Mode().IsRegular() && st.Size() < 64<<10:
			raw, err := os.ReadFile(at)
			if err != nil {
				return "", "", err
			}
			if to, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir:"); ok {
				return root, resolved(root, strings.TrimSpace(to)), nil
			}
			return "", "", errNoRepository
		}
		up := filepath.Dir(root)
		if up == root {
			return "", "", errNoRepository
		}
		root = up
	}
}

func resolved(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// headOf returns the commit that is checked out.
func headOf(dir, common string) (string, error) {
	name := "HEAD"
	for range 5 { // references to references
		text, err := refOf(dir, common, name)
		if err != nil {
			return "", err
		}
		if objectName().MatchString(text) {
			return text, nil
		}
		to, ok := strings.CutPrefix(text, "ref:")
		if name = strings.TrimSpace(to); !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
			return "", errNoRepository
		}
	}
	return "", errNoRepository
}

// refOf reads a reference from its file, else from the packed ones.
func refOf(dir, common, name string) (string, error) {
	for _, at := range []string{dir, common} {
		path := filepath.Join(at, filepath.FromSlash(name))
		if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() || st.Size() > 4<<10 {
			continue
		}
		raw, err := os.ReadFile(path)
		if err == nil {
			return strings.TrimSpace(string(raw)), nil
		}
	}
	f, err := os.Open(filepath.Join(common, "packed-refs"))
	if err != nil {
		return "", errNoRepository
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if hash, of, ok := strings.Cut(lines.Text(), " "); ok && of == name {
			return hash, nil
		}
	}
	return "", errNoRepository
}
