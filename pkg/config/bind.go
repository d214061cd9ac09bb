package config

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// binding is viper with every setting bound to its sources; viper decides which of them has precedence. Values of files
// and defaults are of type Value, which names its source; viper returns those of flags and variables as text.
type binding struct {
	v       *viper.Viper
	flags   *pflag.FlagSet
	path    string // of the project file
	project []byte // its text
	profile map[string]any
}

const defaultHistory = "16MiB"

// bind binds the settings to their flags, variables and defaults. Every variable and flag that is set is checked, also
// where another source has precedence.
func bind(flags *pflag.FlagSet) (*binding, error) {
	if flags == nil {
		flags = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	b := &binding{flags: flags}
	registry := viper.NewCodecRegistry()
	if err := registry.RegisterCodec("yaml", projectCodec{b}); err != nil {
		return nil, fmt.Errorf("project file: %w", err)
	}
	b.v = viper.NewWithOptions(viper.WithDecoderRegistry(registry))
	b.v.SetConfigType("yaml")
	defaults := map[string]string{nameZone: string(Local), nameOutput: "table", nameHistory: defaultHistory}
	for _, name := range settingNames() {
		b.v.SetDefault(name, Value{Value: defaults[name], From: "default"})
		if err := b.v.BindEnv(name, EnvName(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", EnvName(name), err)
		}
		if text, ok := b.v.Get(name).(string); ok {
			if _, err := normal(name, text); err != nil {
				return nil, rename(err, "environment "+EnvName(name))
			}
		}
	}
	for _, name := range settingNames() {
		f := flags.Lookup(name)
		if f == nil {
			continue
		}
		if err := b.v.BindPFlag(name, f); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		if f.Changed {
			if _, err := normal(name, f.Value.String()); err != nil {
				return nil, rename(err, "flag --"+name)
			}
		}
	}
	return b, nil
}

// get returns the value of a setting and its source.
func (b *binding) get(name string) Value {
	text, ok := b.v.Get(name).(string)
	if !ok {
		value, _ := b.v.Get(name).(Value)
		return value
	}
	text, _ = normal(name, text) // checked by bind
	if f := b.flags.Lookup(name); f != nil && f.Changed {
		return Value{Value: text, From: "flag --" + name, level: fromFlag}
	}
	return Value{Value: text, From: "environment " + EnvName(name), level: fromEnv}
}

// readProject lets viper read the project file; data is nil if there is none.
func (b *binding) readProject(path string, data []byte) error {
	b.path, b.project = path, data
	return b.mergeProject()
}

func (b *binding) mergeProject() error {
	if b.project == nil {
		return nil
	}
	err := b.v.MergeConfig(bytes.NewReader(b.project))
	if e := (*Error)(nil); errors.As(err, &e) {
		return e // without viper's own words, which do not name the file
	}
	return err
}

// useProfile merges the settings of the chosen profile below those of the project file, which is merged again.
func (b *binding) useProfile(fields map[string]any) error {
	b.profile = fields
	if err := b.v.MergeConfigMap(fields); err != nil {
		return err
	}
	return b.mergeProject()
}

// ownHistory returns the history that the user has set, or the default, where a project file has precedence.
func (b *binding) ownHistory() Value {
	if value, ok := b.profile[nameHistory].(Value); ok {
		return value
	}
	return Value{Value: defaultHistory, From: "default"}
}

// projectCodec decodes the project file for viper. It is stricter than viper's decoder: unknown, duplicate and secret
// fields are errors with their lines, and identifiers such as 012 or 1e3 stay as written.
type projectCodec struct{ b *binding }

// Decode implements viper.Decoder.
func (c projectCodec) Decode(data []byte, into map[string]any) error {
	fields, err := readProjectFile(c.b.path, data)
	for name, v := range fields {
		into[name] = Value{Value: v, From: "project file " + c.b.path, level: fromProject}
	}
	return err
}

// Encode implements viper.Encoder. Files are written by Store, which keeps their comments.
func (projectCodec) Encode(map[string]any) ([]byte, error) {
	return nil, errors.New("a project file is not written")
}
