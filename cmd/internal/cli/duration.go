package cli

import (
	"time"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/spf13/pflag"
)

// duration is the value of a flag that config.ParseDuration reads.
type duration time.Duration

func (d *duration) Set(v string) error {
	parsed, err := config.ParseDuration(v)
	*d = duration(parsed)
	return err
}

func (d *duration) Type() string { return "duration" }

// String is "0" for none, which a help does not list as a default.
func (d *duration) String() string {
	if *d == 0 {
		return "0"
	}
	return time.Duration(*d).String()
}

// DurationVar adds a flag with a duration that is not negative.
func DurationVar(fs *pflag.FlagSet, to *time.Duration, name string, value time.Duration, usage string) {
	*to = value
	fs.Var((*duration)(to), name, usage)
}
