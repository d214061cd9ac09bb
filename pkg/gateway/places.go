package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/google/uuid"
)

// PlaceError is the error of a gateway that would look for rows or files elsewhere than those before it over the same
// state.
type PlaceError struct {
	Flag, Have, Want string // the values of this gateway and of those before
	Others           bool   // gateways that have the former value are running, so that it cannot be changed
}

func (e *PlaceError) Error() string {
	text := fmt.Sprintf("%s is %q, and %q for the gateways that have used this state", e.Flag, e.Have, e.Want)
	if e.Have == e.Want {
		text = fmt.Sprintf("%s is %q, but not the one of the gateways that have used this state: its %s is not theirs",
			e.Flag, e.Have, folderFile)
	}
	if e.Others {
		text += ": it cannot be another one while one of them is running"
	}
	return text
}

// folderFile is a file in a folder or bucket that gateways share, with an id: machines may have it under other names.
const folderFile = "dig-folder.id"

// checkPlaces compares where this gateway looks for rows and files with where those before it did. With o.Moved it is
// recorded again, if no other one is running.
func checkPlaces(ctx context.Context, o Options, st *store.Store, e engine.Engine) error {
	var places []place
	if placed, ok := e.(engine.Located); ok {
		for _, p := range placed.Places() {
			places = append(places, place{Place: p})
		}
	}
	if o.Postgres != nil {
		p := place{Place: engine.Place{Flag: bucketFlag}}
		if o.Bucket != nil {
			p.Value, p.bucket = o.Bucket.Address(), o.Bucket
		}
		places = append(places, p)
	}
	if o.SharedDir != "" {
		places = append(places, place{Place: engine.Place{Flag: "--shared-dir", Value: o.SharedDir, Folder: true}})
	}
	if o.ReadOnly {
		return nil
	}
	for _, p := range places {
		known, err := st.Setting(ctx, p.Flag)
		if err == nil && known == "" && p.Flag == bucketFlag {
			known, err = withoutBucket(ctx, st)
		}
		if err != nil {
			return err
		}
		have, err := identify(ctx, p, known == "")
		if err == nil && known == "" {
			known, err = st.SetSetting(ctx, p.Flag, "", have)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Flag, err)
		}
		if have == known || id(have) != "" && id(have) == id(known) {
			continue
		}
		wrong := &PlaceError{Flag: p.Flag, Have: p.Value, Want: name(known)}
		if !o.Moved {
			return wrong
		}
		if have, err = identify(ctx, p, true); err == nil {
			_, err = st.SetSetting(ctx, p.Flag, known, have)
		}
		if err != nil {
			return err
		}
		alone, err := st.Alone(ctx) // now, when others that are started find the new value
		if err != nil || !alone {
			_, back := st.SetSetting(ctx, p.Flag, have, known)
			wrong.Others = true
			return errors.Join(wrong, err, back)
		}
	}
	return nil
}

// place is where a gateway looks: a value, a folder or a bucket.
type place struct {
	engine.Place
	bucket *files.Bucket
}

// bucketFlag says where the files of exports are; without it they are in a folder.
const bucketFlag = "--export-store"

// withoutBucket is what is recorded of a state whose gateways knew no buckets and have files of exports in a folder,
// "" if there is none.
func withoutBucket(ctx context.Context, st *store.Store) (string, error) {
	live, err := st.LiveExports(ctx)
	if err != nil || len(live) == 0 {
		return "", err
	}
	return st.SetSetting(ctx, bucketFlag, "", "\n")
}

// identify is what is recorded of a place: an id, and the value of its flag. make gives a folder or a bucket one that
// it lacks.
func identify(ctx context.Context, p place, make bool) (string, error) {
	path := filepath.Join(p.Value, folderFile)
	read := func() ([]byte, error) { return os.ReadFile(path) }
	write := func(id []byte) error {
		if err := os.MkdirAll(p.Value, 0o755); err != nil {
			return err
		}
		return tempfile.WriteNew(path, id)
	}
	switch {
	case p.bucket != nil:
		read = func() ([]byte, error) { return p.bucket.Read(ctx, folderFile) }
		write = func(id []byte) error { return p.bucket.Publish(ctx, folderFile, id) }
	case !p.Folder || p.Value == "":
		return p.Value + "\n" + p.Value, nil
	}
	raw, err := read()
	if errors.Is(err, fs.ErrNotExist) && make {
		raw = []byte(uuid.NewString() + "\n")
		if err = write(raw); errors.Is(err, fs.ErrExist) { // another gateway was first
			raw, err = read()
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.TrimSpace(string(raw)) + "\n" + p.Value, err
}

// exportFiles is where the files of exports are. A bucket is tried, and has a folder for each state.
func exportFiles(ctx context.Context, o Options, st *store.Store) (files.Files, error) {
	if o.Bucket == nil {
		return &files.Folder{Dir: filepath.Join(o.shared(), "exports"), SyncDir: tempfile.SyncDir}, nil
	}
	if !o.ReadOnly {
		if err := o.Bucket.Try(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", bucketFlag, err)
		}
	}
	const key = bucketFlag + ": folder of this state"
	state, err := st.Setting(ctx, key)
	if err == nil && state == "" {
		state, err = st.SetSetting(ctx, key, "", uuid.NewString())
	}
	return o.Bucket.Of(state), err
}

func id(place string) string   { before, _, _ := strings.Cut(place, "\n"); return before }
func name(place string) string { _, after, _ := strings.Cut(place, "\n"); return after }
