package query

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// manifestBeside is the value of --manifest for a file that is named after the output file.
const manifestBeside = "auto"

// manifest describes a result file. The statement and its bindings are without the secrets that are recognized.
type manifest struct {
	File string `json:"file,omitempty"` // as --out names it
	keptInfo
	Format   string `json:"format"`
	Bytes    int64  `json:"bytes"` // of the file
	SHA256   string `json:"sha256"`
	Complete bool   `json:"complete"`
	Error    string `json:"error,omitempty"`

	idle bool // dry run
	path string
	hash hash.Hash
	mask func(string) string
}

// manifestName returns the file of the manifest; "" for none.
func manifestName(flag, out string) (string, error) {
	switch {
	case flag == "" || flag != manifestBeside:
		return flag, nil
	case out == "" || out == "-":
		return "", exitcode.Usagef("--manifest requires a name without --out").
			WithHint("write --manifest=FILE, or give --out FILE")
	}
	return out + ".manifest.json", nil
}

// newManifest counts the bytes written to s; nil if no manifest was requested.
func newManifest(e *cli.Env, path string, s *cli.Sink) *manifest {
	if path == "" {
		return nil
	}
	m := &manifest{idle: e.DryRun(), File: s.Path, path: e.Abs(path), hash: sha256.New(),
		mask: e.Run.Mask.Masked}
	s.W = io.MultiWriter(s.W, m)
	return m
}

// Write counts the bytes.
func (m *manifest) Write(p []byte) (int, error) {
	m.Bytes += int64(len(p))
	return m.hash.Write(p)
}

// write writes the manifest, also for a failed result, and returns err or an error of its own.
func (m *manifest) write(info keptInfo, o output.Options, err error) error {
	if m == nil || m.idle || errors.Is(err, cli.ErrDone) {
		return err
	}
	m.keptInfo, m.Format = info, o.Format.String()
	m.Complete, m.SHA256 = err == nil, hex.EncodeToString(m.hash.Sum(nil))
	if err != nil {
		m.Error = cli.Classify(context.Background(), err).Msg
	}
	raw, merr := api.Marshal(m)
	if merr != nil {
		return errors.Join(err, merr)
	}
	var b bytes.Buffer
	raw = []byte(m.mask(secret.Document(string(raw)).Text))
	if merr := json.Indent(&b, raw, "", "  "); merr != nil {
		return errors.Join(err, merr)
	}
	b.WriteByte('\n')
	if merr := cli.WriteFile(m.path, b.Bytes()); merr != nil && err == nil {
		err = &exitcode.Failure{Exit: exitcode.Failed, Code: "manifest", Msg: "--manifest: " + merr.Error(), Err: merr}
	}
	return err
}
