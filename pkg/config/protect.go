package config

import (
	"fmt"
	"slices"
	"strconv"
)

// The values of the setting protect.
const (
	Confirm  = "confirm"   // ask before each command that changes something
	ReadOnly = "read-only" // reject every request that changes something
)

// protection orders the values of the setting; 0 is none.
func protection(v string) int {
	switch v {
	case Confirm:
		return 1
	case ReadOnly:
		return 2
	}
	return 0
}

// The values of the setting files.
const (
	FilesOn  = "on"  // statements on zone local may name files of this machine
	FilesOff = "off" // they may not
)

// switchedOn parses a variable that is 1 or 0.
func switchedOn(name, value string) (bool, error) {
	if value == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, &Error{Kind: ErrUsage, Field: "environment " + name,
			Msg: fmt.Sprintf("%q is neither 1 nor 0", value)}
	}
	return on, nil
}

// sourcesOf returns the values that a setting has in a profile, a project file and a variable, for settings of which
// the strictest counts.
func sourcesOf(b *binding, name string) []Value {
	found := []Value{b.own(name, "")} // of the profile
	if v, ok := b.project[name].(Value); ok {
		found = append(found, v)
	}
	if v := b.get(name); v.level == fromEnv {
		found = append(found, v)
	}
	return found
}

// filesAllowed returns the setting files: off if any source says so. noFiles is DIG_NO_FILES.
func filesAllowed(b *binding, noFiles string) (Value, error) {
	off, err := switchedOn("DIG_NO_FILES", noFiles)
	if err != nil {
		return Value{}, err
	}
	if off {
		return Value{Value: FilesOff, From: "environment DIG_NO_FILES", level: fromEnv}, nil
	}
	for _, v := range sourcesOf(b, nameFiles) {
		if v.Value == FilesOff {
			return v, nil
		}
	}
	return b.get(nameFiles), nil
}

// strictest returns the strictest protection that any source sets. Other settings are taken from the source with the
// highest precedence; here a variable or a file of a repository can protect a profile but cannot remove its protection.
// readOnly is DIG_READ_ONLY.
func strictest(b *binding, readOnly string) (Value, error) {
	found := sourcesOf(b, nameProtect)
	on, err := switchedOn("DIG_READ_ONLY", readOnly)
	if err != nil {
		return Value{}, err
	}
	if on {
		found = append(found, Value{Value: ReadOnly, From: "environment DIG_READ_ONLY", level: fromEnv})
	}
	// of equal ones the first
	return slices.MaxFunc(found, func(a, b Value) int { return protection(a.Value) - protection(b.Value) }), nil
}

// IsReadOnly reports whether requests that change something are rejected.
func (s *Settings) IsReadOnly() bool { return s.Protect.Value == ReadOnly }
