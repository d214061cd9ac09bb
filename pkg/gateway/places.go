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
	if e.Others {
		text += ": it cannot be another one while one of them is running"
	}
	return text
}

// folderFile is a file in a folder that gateways share, with an id: machines may have the folder under other names.
const folderFile = "dig-folder.id"

// checkPlaces compares where this gateway looks for rows and files with where those before it did. With o.Moved it is
// recorded again, if no other one is running.
func checkPlaces(ctx context.Context, o Options, st *store.Store, e engine.Engine) error {
	var places []engine.Place
	if placed, ok := e.(engine.Located); ok {
		places = placed.Places()
	}
	if o.SharedDir != "" {
		places = append(places, engine.Place{Flag: "--shared-dir", Value: o.SharedDir, Folder: true})
	}
	if o.ReadOnly {
		return nil
	}
	for _, p := range places {
		known, err := st.Setting(ctx, p.Flag)
		if err != nil {
			return err
		}
		have, err := identify(p, known == "")
		if err == nil && known == "" {
			known, err = st.SetSetting(ctx, p.Flag, "", have)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Flag, err)
		}
		if id(have) == id(known) {
			continue
		}
		wrong := &PlaceError{Flag: p.Flag, Have: p.Value, Want: name(known)}
		if !o.Moved {
			return wrong
		}
		if have, err = identify(p, true); err == nil {
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

// identify is what is recorded of a place: an id, and the value of its flag. make gives a folder one that it lacks.
func identify(p engine.Place, make bool) (string, error) {
	if !p.Folder || p.Value == "" {
		return p.Value + "\n" + p.Value, nil
	}
	path := filepath.Join(p.Value, folderFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && make {
		raw = []byte(uuid.NewString() + "\n")
		if err = os.MkdirAll(p.Value, 0o755); err == nil {
			err = publish(path, raw)
		}
		if errors.Is(err, fs.ErrExist) { // another gateway was first
			raw, err = os.ReadFile(path)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.TrimSpace(string(raw)) + "\n" + p.Value, err
}

// publish writes a file that others see whole or not at all, unless there is one.
func publish(path string, data []byte) error {
	made := path + "." + uuid.NewString()
	if err := tempfile.Write(made, data); err != nil {
		return err
	}
	err := tempfile.Publish(made, path)
	if err != nil {
		return errors.Join(err, tempfile.Remove(made))
	}
	return nil
}

func id(place string) string   { before, _, _ := strings.Cut(place, "\n"); return before }
func name(place string) string { _, after, _ := strings.Cut(place, "\n"); return after }
