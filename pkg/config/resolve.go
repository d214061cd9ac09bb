// Package config determines the target and the identity of a command: zone, address, key, organization, workspace and
// project.
//
// Every setting has the same precedence: flag, environment, project file, profile, default. An empty variable counts as
// unset; an empty flag is an error, because a script that passes --project "$P" with P unset must not silently use
// another project.
//
// A profile describes one zone and address. If a source of higher precedence selects another zone, the profile's
// address, organization, workspace and project are not used, and Settings.Notes says so; its key is not used because it
// is bound to its address.
//
// A stored key carries the address it was stored for and is sent nowhere else, whatever config.yaml, a project file, a
// variable or a flag says. DIG_API_KEY is sent to an address that the user chose (flag, variable, own profile, or a
// zone's default address) and not to one that a project file chose, including loopback addresses: a project file is
// part of a repository, and on a shared machine anyone may listen on a loopback port.
package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// Sources are the sources of settings.
type Sources struct {
	Flags *pflag.FlagSet // the flags with the names of settings; may be nil
	// variables that are not settings: DIG_API_KEY and those of directories. viper reads the others from the process.
	Getenv    func(string) string
	Dir       string // directory where the search for the project file starts; "" for no project file
	ConfigDir string // directory of config.yaml; "" means ConfigDir(Getenv)
}

// Value is a setting and the source it came from: "flag --zone", "environment DIG_ZONE", "project file /x/.dig.yaml",
// "profile work" or "default".
type Value struct {
	Value string
	From  string
	level level
}

type level int

const (
	fromDefault level = iota
	fromProfile
	fromProject
	fromEnv
	fromFlag
)

// Settings are the resolved settings of one command. BaseURL is "" for the local zone inside the process.
type Settings struct {
	Profile, Zone, BaseURL, Org, Workspace, Project, Output, Timeout, History, Spool, Protect, Files, Journal,
	Friendly Value
	ConnectTimeout, ReplyTimeout, CAFile, ClientCert, ClientKey Value

	Key        Key      // zero if there is none or it must not be sent to BaseURL; NeedKey returns the reason
	KeyExpires string   // when the key expires, RFC 3339; "" if unknown
	KeyFrom    string   // where the key came from, or why there is none
	KeyFacts   KeyFacts // the facts about the key, if it is that of the profile
	Candidates []string // all documented addresses of the zone, if BaseURL is a default one; the first is BaseURL
	Notes      []string // settings that are not used and why, and notes on the address
	Path       string   // the project file that was read, or ""

	keyErr error
}

// Local reports whether the gateway is zone local: in this process, or at an address of this machine. A gateway at any
// other address is treated as a hosted one, whatever the zone says, because nothing is known about it.
func (s *Settings) Local() bool {
	return Zone(s.Zone.Value) == Local && (s.InProcess() || IsLoopback(s.BaseURL.Value))
}

// Where names the gateway in messages: its zone, or its address if that is of no zone.
func (s *Settings) Where() string {
	if Zone(s.Zone.Value) == Local && !s.Local() {
		return "the gateway at " + s.BaseURL.Value
	}
	return "zone " + s.Zone.Value
}

// Explained is one line of Explain.
type Explained struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Resolve reads all sources and determines the settings. A named profile must exist; files must be well-formed even if
// a source of higher precedence overrides them. A missing or unusable key is not an error here, see NeedKey.
func Resolve(src Sources) (*Settings, error) {
	if src.Getenv == nil {
		src.Getenv = func(string) string { return "" }
	}
	store, err := OpenStore(src.ConfigDir, src.Getenv)
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	b, err := bind(src.Flags)
	if err != nil {
		return nil, err
	}
	path, data, err := findProjectFile(src.Dir, homeOf(src.Getenv))
	if err != nil {
		return nil, err
	}
	if data != nil {
		s.Path = path
		if err := b.useProject(path, data); err != nil {
			return nil, err
		}
	}
	profile, err := s.pickProfile(store, b)
	if err != nil {
		return nil, err
	}
	fields, foreign := s.profileFields(profile, b.get(nameZone))
	if foreign && profile.KeyStorage == "" {
		profile = nil // the missing key does not belong to this profile
	}
	if err := b.useProfile(fields); err != nil {
		return nil, err
	}
	s.Zone, s.BaseURL, s.Org, s.Workspace = b.get(nameZone), b.get(nameBaseURL), b.get(nameOrg), b.get(nameWorkspace)
	s.Project, s.Output, s.Timeout = b.get(nameProject), b.get(nameOutput), b.get(nameTimeout)
	s.History, s.Spool = s.keepLess(b, nameHistory, defaultHistory), s.keepLess(b, nameSpool, defaultSpool)
	s.Journal = s.ownJournal(b)
	s.Friendly = b.get(nameFriendly)
	if s.Protect, err = strictest(b, src.Getenv("DIG_READ_ONLY")); err != nil {
		return nil, err
	}
	if s.Files, err = filesAllowed(b, src.Getenv("DIG_NO_FILES")); err != nil {
		return nil, err
	}
	s.ConnectTimeout, s.ReplyTimeout = b.get(nameConnectTimeout), b.get(nameReplyTimeout)
	s.CAFile, s.ClientCert, s.ClientKey = b.get(nameCAFile), b.get(nameClientCert), b.get(nameClientKey)
	if err := s.settleZone(); err != nil {
		return nil, err
	}
	return s, s.settleKey(store, profile, src.Getenv("DIG_API_KEY"))
}

// keepLess applies a setting of a size on the disk. A project file is part of a repository: it may reduce the size of
// results stored on this machine, but not increase it.
func (s *Settings) keepLess(b *binding, name, preset string) Value {
	all := b.get(name)
	if all.level != fromProject {
		return all
	}
	own := b.own(name, preset)
	more, err := ParseSize(all.Value)
	most, ownErr := ParseSize(own.Value)
	if err != nil || ownErr != nil || more <= most {
		return all
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s requests a %s of %s; %s sets %s, and a project file cannot increase it",
		all.From, name, all.Value, own.From, own.Value))
	return own
}

// ownJournal returns the setting of the journal. A project file must not decide that changes leave no record.
func (s *Settings) ownJournal(b *binding) Value {
	all := b.get(nameJournal)
	if all.level != fromProject {
		return all
	}
	own := b.own(nameJournal, defaultJournal)
	s.Notes = append(s.Notes, fmt.Sprintf("%s sets a journal of %s; %s sets %s, and a project file cannot change it",
		all.From, all.Value, own.From, own.Value))
	return own
}

func rename(err error, field string) error {
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.Field = field
		return &c
	}
	return err
}

// pickProfile finds the selected profile; nil if none is selected.
func (s *Settings) pickProfile(store *Store, b *binding) (*Profile, error) {
	file, err := store.load()
	if err != nil {
		return nil, err
	}
	if file.current != "" {
		b.v.SetDefault(nameProfile, Value{Value: file.current, From: "current profile in " + store.Path(),
			level: fromProfile})
	}
	s.Profile = b.get(nameProfile)
	if s.Profile.Value == "" {
		return nil, nil
	}
	p := file.find(s.Profile.Value)
	if p == nil {
		return nil, rename(file.unknown(s.Profile.Value), s.Profile.From)
	}
	return p, nil
}

// profileFields returns the settings of a profile. foreign is set if a source of higher precedence has selected another
// zone; the settings of the profile's zone are then omitted. zone is the zone before the profile is considered.
func (s *Settings) profileFields(p *Profile, zone Value) (fields map[string]any, foreign bool) {
	fields = map[string]any{}
	if p == nil {
		return fields, false
	}
	own := p.EffectiveZone()
	foreign = zone.level > fromProfile && Zone(zone.Value) != own
	left := ""
	for _, name := range settingNames() {
		f := p.field(name)
		switch {
		case f == nil || *f == "":
		case foreign && bound(name):
			left += fmt.Sprintf(" %s=%s", name, *f)
		default:
			fields[name] = Value{Value: *f, From: "profile " + p.Name, level: fromProfile}
		}
	}
	if left != "" {
		s.Notes = append(s.Notes, fmt.Sprintf("profile %s is for zone %s, but %s chose %s: not used:%s", p.Name, own,
			zone.From, zone.Value, left))
	}
	return fields, foreign
}

// settleZone checks that zone and address agree, and derives one from the other if only one is given.
func (s *Settings) settleZone() error {
	addr, zone := s.BaseURL.Value, Zone(s.Zone.Value)
	if addr == "" {
		if s.Candidates = DefaultAddresses(zone); len(s.Candidates) > 0 {
			s.BaseURL = Value{Value: s.Candidates[0], From: "default of zone " + string(zone)}
		}
		return nil
	}
	if _, hint, err := CheckBaseURL(addr); err != nil {
		return err
	} else if hint != "" {
		s.Notes = append(s.Notes, hint)
	}
	if s.Zone.level == fromDefault {
		if z := ZoneOfAddress(addr); z != "" {
			s.Zone = Value{Value: string(z), From: "base-url", level: s.BaseURL.level}
		}
		return nil
	}
	if err := zoneAndAddress(zone, addr, s.Zone.From+" and "+s.BaseURL.From); err != nil {
		return err
	}
	if zone == Local && s.Zone.level > s.BaseURL.level && !IsLoopback(addr) {
		return &Error{Kind: ErrUsage, Field: s.Zone.From,
			Msg:  fmt.Sprintf("zone local runs on this machine, but %s sets base-url %s", s.BaseURL.From, addr),
			hint: "unset one of the two"}
	}
	return nil
}

// NeedKey returns the key for a request to BaseURL, or an error that wraps ErrNotAllowed or ErrStorage and explains why
// there is none. It must be called before the first request to any address: without a key nothing, including data, is
// sent to an address that a project file may have chosen. For the local zone inside the process it returns the zero
// Key.
func (s *Settings) NeedKey() (Key, error) { return s.Key, s.keyErr }

// InProcess reports whether the command is served by the gateway inside the process.
func (s *Settings) InProcess() bool { return s.BaseURL.Value == "" }

// TimeoutDuration returns the timeout; set is false if none was given.
func (s *Settings) TimeoutDuration() (d time.Duration, set bool) {
	if s.Timeout.Value == "" {
		return 0, false
	}
	d, err := ParseDuration(s.Timeout.Value) // checked by Resolve
	return d, err == nil
}

// HistoryBytes is the maximum size of a result that is stored for `query last`; 0 for none.
func (s *Settings) HistoryBytes() int64 { return bytesOf(s.History) }

// JournalBytes is the maximum size of the journal of changes; 0 for none.
func (s *Settings) JournalBytes() int64 { return bytesOf(s.Journal) }

// SpoolBytes is the maximum size on disk of a result of zone local that its reader does not read; 0 for none.
func (s *Settings) SpoolBytes() int64 { return bytesOf(s.Spool) }

func bytesOf(v Value) int64 {
	n, err := ParseSize(v.Value) // checked by Resolve
	if err != nil {
		return 0
	}
	return n
}

// Explicit returns the zone and the address that a flag or a variable selects, ignoring files.
func (s *Settings) Explicit() (zone, address string) {
	if s.Zone.level >= fromEnv {
		zone = s.Zone.Value
	}
	if s.BaseURL.level >= fromEnv {
		address = s.BaseURL.Value
	}
	return zone, address
}

// RewritesSQL reports whether dig sql and the shell rewrite what is not Trino's SQL.
func (s *Settings) RewritesSQL() bool { return s.Friendly.Value == FilesOn }

// Explain lists every setting with its source; the key is masked.
func (s *Settings) Explain() []Explained {
	all := []Value{s.Profile, s.Zone, s.BaseURL, s.Org, s.Workspace, s.Project, s.Output, s.Timeout, s.History, s.Spool,
		s.Protect, s.Files, s.Journal, s.Friendly,
		s.ConnectTimeout, s.ReplyTimeout, s.CAFile, s.ClientCert, s.ClientKey}
	out := make([]Explained, 0, len(all)+1)
	for i, name := range settingNames() {
		out = append(out, Explained{Name: name, Value: all[i].Value, From: all[i].From})
	}
	return append(out, Explained{Name: "key", Value: s.Key.String(), From: s.KeyFrom})
}
