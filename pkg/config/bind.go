package config

import (
	"fmt"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// binding is viper with every setting bound to its sources; viper decides which of them has precedence. Values of files
// and defaults are of type Value, which names its source; viper returns those of flags and variables as text.
type binding struct {
	v       *viper.Viper
	flags   *pflag.FlagSet
	project map[string]any
	profile map[string]any
}

const (
	defaultHistory = "16MiB"
	defaultSpool   = "10GiB"
	defaultJournal = "10MiB"
)

// bind binds the settings to their flags, variables and defaults. Every variable and flag that is set is checked, also
// where another source has precedence.
func bind(flags *pflag.FlagSet) (*binding, error) {
	if flags == nil {
		flags = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	b := &binding{v: viper.New(), flags: flags}
	defaults := map[string]string{nameZone: string(Local), nameOutput: "table", nameFiles: FilesOn,
		nameFriendly: FilesOn,
		nameHistory:  defaultHistory, nameSpool: defaultSpool, nameJournal: defaultJournal}
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

// useProject merges the settings of the project file. Files are read by this package and not by viper's decoders:
// unknown, duplicate and secret fields are errors with their lines, identifiers such as 012 or 1e3 stay as written, and
// the decoders of all formats would add 450 kB to the program.
func (b *binding) useProject(path string, data []byte) error {
	fields, err := readProjectFile(path, data)
	if err != nil {
		return err
	}
	b.project = map[string]any{}
	for name, v := range fields {
		b.project[name] = Value{Value: v, From: "project file " + path, level: fromProject}
	}
	return b.v.MergeConfigMap(b.project)
}

// useProfile merges the settings of the chosen profile. The project file is merged again after it, because it has
// precedence.
func (b *binding) useProfile(fields map[string]any) error {
	b.profile = fields
	if err := b.v.MergeConfigMap(fields); err != nil {
		return err
	}
	return b.v.MergeConfigMap(b.project)
}

// own returns the value of a setting in the profile, or preset: the value that counts where a project file must not
// decide.
func (b *binding) own(name, preset string) Value {
	if value, ok := b.profile[name].(Value); ok {
		return value
	}
	return Value{Value: preset, From: "default"}
}
