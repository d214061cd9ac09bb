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

// strictest returns the strictest protection that any source sets. Other settings are taken from the source with the highest
// precedence; here a variable or a file of a repository can protect a profile but cannot remove its protection. readOnly is
// DIG_READ_ONLY.
func strictest(b *binding, readOnly string) (Value, error) {
	found := []Value{b.own(nameProtect, "")} // of the profile
	if v, ok := b.project[nameProtect].(Value); ok {
		found = append(found, v)
	}
	if v := b.get(nameProtect); v.level == fromEnv {
		found = append(found, v)
	}
	if readOnly != "" {
		on, err := strconv.ParseBool(readOnly)
		if err != nil {
			return Value{}, &Error{Kind: ErrUsage, Field: "environment DIG_READ_ONLY", Msg: fmt.Sprintf("%q is neither 1 nor 0", readOnly)}
		}
		if on {
			found = append(found, Value{Value: ReadOnly, From: "environment DIG_READ_ONLY", level: fromEnv})
		}
	}
	return slices.MaxFunc(found, func(a, b Value) int { return protection(a.Value) - protection(b.Value) }), nil // of equal ones the first
}

// IsReadOnly reports whether requests that change something are rejected.
func (s *Settings) IsReadOnly() bool { return s.Protect.Value == ReadOnly }
