package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dustin/go-humanize"
)

// The names of the settings: flags and fields have these names, variables are DIG_ plus the name in upper case with "_"
// for "-".
const (
	nameProfile   = "profile"
	nameZone      = "zone"
	nameBaseURL   = "base-url"
	nameOrg       = "org"
	nameWorkspace = "workspace"
	nameProject   = "project"
	nameOutput    = "output"
	nameTimeout   = "timeout"
	nameHistory   = "history"
	nameSpool     = "spool"
	nameProtect   = "protect"
	nameFiles     = "files"
	nameJournal   = "journal"
	nameFriendly  = "friendly"

	nameConnectTimeout = "connect-timeout"
	nameReplyTimeout   = "reply-timeout"
	nameCAFile         = "ca-file"
	nameClientCert     = "client-cert"
	nameClientKey      = "client-key"
)

// settingNames returns the settings in the order in which they are listed.
func settingNames() []string {
	return []string{nameProfile, nameZone, nameBaseURL, nameOrg, nameWorkspace, nameProject, nameOutput, nameTimeout,
		nameHistory, nameSpool, nameProtect, nameFiles, nameJournal, nameFriendly,
		nameConnectTimeout, nameReplyTimeout, nameCAFile, nameClientCert, nameClientKey}
}

// files returns the settings that name a file of certificates or keys. A project file may not set them: it must not
// choose which gateway is trusted.
func files() []string { return []string{nameCAFile, nameClientCert, nameClientKey} }

// projectFields are the fields of a project file.
func projectFields() []string {
	return slices.DeleteFunc(settingNames(), func(n string) bool { return slices.Contains(files(), n) })
}

// bound reports whether a setting belongs to the zone and address of a profile.
func bound(name string) bool {
	return slices.Contains(append(files(), nameBaseURL, nameOrg, nameWorkspace, nameProject), name)
}

// EnvName returns the variable of a setting, for example DIG_BASE_URL for base-url.
func EnvName(setting string) string {
	return "DIG_" + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

var profileForm = late.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckProfileName rejects names that are not 1 to 64 letters, digits, dots, hyphens and underscores, starting with a
// letter or digit: they are used in files, in keyring entries and on command lines.
func CheckProfileName(name string) error {
	if msg := checkValue(nameProfile, name); msg != "" {
		return &Error{Kind: ErrUsage, Field: nameProfile, Msg: msg}
	}
	return nil
}

var outputForm = late.Regexp(`^[a-z][a-z0-9-]{0,31}$`)

// checkValue returns the error of a value, or "". Output formats are checked by the package that implements them.
func checkValue(name, v string) string {
	if v == "" {
		return "is empty"
	}
	if len(v) > 2048 {
		return fmt.Sprintf("is %d bytes long; at most 2048 are accepted", len(v))
	}
	for _, r := range v {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return fmt.Sprintf("contains the control character %q", r)
		}
	}
	switch name {
	case nameProfile:
		if !profileForm().MatchString(v) {
			return fmt.Sprintf("%q is not a profile name (1 to 64 letters, digits, '.', '-', '_', the first a letter "+
				"or digit)", v)
		}
	case nameZone:
		return checkZone(v)
	case nameOutput:
		if !outputForm().MatchString(v) {
			return fmt.Sprintf("%q is not the name of an output format", v)
		}
	case nameTimeout, nameConnectTimeout, nameReplyTimeout:
		if _, err := ParseDuration(v); err != nil {
			return err.Error()
		}
	case nameHistory, nameSpool, nameJournal:
		if _, err := ParseSize(v); err != nil {
			return err.Error()
		}
	case nameFiles, nameFriendly:
		if v != FilesOn && v != FilesOff {
			return fmt.Sprintf("%q is neither %s nor %s", v, FilesOn, FilesOff)
		}
	case nameProtect:
		if protection(v) == 0 {
			return fmt.Sprintf("%q is neither %s nor %s", v, ReadOnly, Confirm)
		}
	}
	return ""
}

// normal checks a value and normalizes it; only addresses change. The error names only the field.
func normal(name, v string) (string, error) {
	if msg := checkValue(name, v); msg != "" {
		e := &Error{Kind: ErrUsage, Field: name, Msg: msg}
		if near := nearest.Of(v, []string{"local", "us", "eu"}); name == nameZone && near != "" && len(v) > 2 {
			e.hint = "did you mean " + near + "?"
		}
		return "", e
	}
	if name != nameBaseURL {
		return v, nil
	}
	addr, _, err := CheckBaseURL(v)
	return addr, err
}

// ParseSize parses a number of bytes with a unit, such as 64MiB or 100kB, or without one; off is 0.
func ParseSize(v string) (int64, error) {
	if strings.EqualFold(v, "off") {
		return 0, nil
	}
	n, err := humanize.ParseBytes(v)
	if err != nil || n > math.MaxInt64 || strings.Contains(v, "-") {
		return 0, fmt.Errorf("%q is not a size (bytes, or with a unit such as 64MiB or 100kB)", v)
	}
	return int64(n), nil
}

var longUnits = late.Regexp(`^(?:([0-9]{1,3})w)?(?:([0-9]{1,4})d)?`)

// ParseDuration parses a number of seconds ("90", "0.5") or a duration with units ("90s", "1m30s", "7d", "1w12h"), for
// all flags and settings that have one; a week has seven days of 24 hours. Negative values are rejected.
func ParseDuration(v string) (time.Duration, error) {
	long := longUnits().FindStringSubmatch(v)
	weeks, _ := strconv.Atoi(long[1]) // digits or none
	days, _ := strconv.Atoi(long[2])
	rest := v[len(long[0]):]
	var d time.Duration
	var err error
	if rest != "" || long[0] == "" {
		d, err = time.ParseDuration(rest)
	}
	if err != nil && long[0] == "" {
		secs, ferr := strconv.ParseFloat(v, 64)
		if err = ferr; ferr == nil && !(math.Abs(secs) <= 1e9) {
			err = strconv.ErrRange
		}
		d = time.Duration(secs * float64(time.Second))
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration (seconds such as 90, or with units such as 1m30s or 7d)", v)
	}
	if d < 0 || strings.HasPrefix(rest, "-") {
		return 0, fmt.Errorf("%q is negative", v)
	}
	const day = 24 * time.Hour
	if d += time.Duration(7*weeks+days) * day; d < 0 {
		return 0, fmt.Errorf("%q is longer than 292 years", v)
	}
	return d, nil
}
