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

	"github.com/spf13/viper"
)

// Sources are the sources of settings.
type Sources struct {
	Flags     map[string]string   // the flags that were given, by setting name: zone, profile, base-url, org, workspace, project, output, timeout
	Getenv    func(string) string // the environment
	Dir       string              // directory where the search for the project file starts; "" for no project file
	ConfigDir string              // directory of config.yaml; "" means ConfigDir(Getenv)
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
	Profile, Zone, BaseURL, Org, Workspace, Project, Output, Timeout, History Value

	Key        Key      // zero if there is none or it must not be sent to BaseURL; NeedKey returns the reason
	KeyExpires string   // when the key expires, RFC 3339; "" if unknown
	KeyFrom    string   // where the key came from, or why there is none
	Candidates []string // all documented addresses of the zone, if BaseURL is a default one; the first is BaseURL
	Notes      []string // settings that are not used and why, and notes on the address
	Path       string   // the project file that was read, or ""

	keyErr error
}

// Local reports whether the zone is local.
func (s *Settings) Local() bool { return Zone(s.Zone.Value) == Local }

// Explained is one line of Explain.
type Explained struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

type layer map[string]Value

// merge returns the value of every setting by precedence. layers are ordered from default to flag. Viper sees only the
// eight fixed names and opaque values: it would convert names to lower case and split them on dots.
func merge(layers [fromFlag + 1]layer) func(string) Value {
	v := viper.New()
	for l, values := range layers {
		plain := make(map[string]any, len(values))
		for name, value := range values {
			value.level = level(l)
			plain[name] = value
		}
		switch level(l) {
		case fromDefault:
			for name, value := range plain {
				v.SetDefault(name, value)
			}
		case fromFlag:
			for name, value := range plain {
				v.Set(name, value)
			}
		default:
			_ = v.MergeConfigMap(plain) // its error is always nil
		}
	}
	return func(name string) Value {
		value, _ := v.Get(name).(Value)
		return value
	}
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
	layers, err := s.layers(src)
	if err != nil {
		return nil, err
	}
	profile, err := s.pickProfile(store, &layers)
	if err != nil {
		return nil, err
	}
	if s.dropForeignPlace(profile, &layers) && profile.KeyStorage == "" {
		profile = nil // the missing key does not belong to this profile
	}
	get := merge(layers)
	s.Zone, s.BaseURL, s.Org, s.Workspace = get(nameZone), get(nameBaseURL), get(nameOrg), get(nameWorkspace)
	s.Project, s.Output, s.Timeout, s.History = get(nameProject), get(nameOutput), get(nameTimeout), s.keepLess(layers)
	if err := s.settlePlace(); err != nil {
		return nil, err
	}
	return s, s.settleKey(store, profile, src.Getenv("DIG_API_KEY"))
}

func (s *Settings) layers(src Sources) (layers [fromFlag + 1]layer, err error) {
	for i := range layers {
		layers[i] = layer{}
	}
	known := map[string]bool{}
	for _, name := range settingNames() {
		known[name] = true
		layers[fromDefault][name] = Value{From: "default"}
		if v := src.Getenv(EnvName(name)); v != "" {
			from := "environment " + EnvName(name)
			if v, err = normal(name, v); err != nil {
				return layers, rename(err, from)
			}
			layers[fromEnv][name] = Value{Value: v, From: from}
		}
	}
	layers[fromDefault][nameZone] = Value{Value: string(Local), From: "default"}
	layers[fromDefault][nameOutput] = Value{Value: "table", From: "default"}
	layers[fromDefault][nameHistory] = Value{Value: "16MiB", From: "default"}
	for name, v := range src.Flags {
		if !known[name] {
			return layers, &Error{Kind: ErrUsage, Field: "flag --" + name, Msg: "is not a setting"}
		}
		from := "flag --" + name
		if v, err = normal(name, v); err != nil {
			return layers, rename(err, from)
		}
		layers[fromFlag][name] = Value{Value: v, From: from}
	}
	path, data, err := findProjectFile(src.Dir, homeOf(src.Getenv))
	if err != nil || data == nil {
		return layers, err
	}
	s.Path = path
	fields, err := readProjectFile(path, data)
	for name, v := range fields {
		layers[fromProject][name] = Value{Value: v, From: "project file " + path}
	}
	return layers, err
}

// keepLess applies the setting history. A project file is part of a repository: it may reduce the size of results
// stored on this machine, but not increase it.
func (s *Settings) keepLess(layers [fromFlag + 1]layer) Value {
	all := merge(layers)(nameHistory)
	if all.level != fromProject {
		return all
	}
	layers[fromProject] = layer{}
	own := merge(layers)(nameHistory)
	more, err := ParseSize(all.Value)
	most, ownErr := ParseSize(own.Value)
	if err != nil || ownErr != nil || more <= most {
		return all
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s requests a history of %s; %s sets %s, and a project file cannot increase it", all.From, all.Value, own.From, own.Value))
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

// pickProfile finds the selected profile and fills its layer; nil if none is selected.
func (s *Settings) pickProfile(store *Store, layers *[fromFlag + 1]layer) (*Profile, error) {
	file, err := store.load()
	if err != nil {
		return nil, err
	}
	if file.current != "" {
		layers[fromProfile][nameProfile] = Value{Value: file.current, From: "current profile in " + store.Path()}
	}
	s.Profile = merge(*layers)(nameProfile)
	if s.Profile.Value == "" {
		return nil, nil
	}
	p := file.find(s.Profile.Value)
	if p == nil {
		return nil, rename(file.unknown(s.Profile.Value), s.Profile.From)
	}
	for _, name := range settingNames() {
		if f := p.field(name); f != nil && *f != "" {
			layers[fromProfile][name] = Value{Value: *f, From: "profile " + p.Name}
		}
	}
	return p, nil
}

// dropForeignPlace drops the profile's zone-specific settings if a source of higher precedence has selected another
// zone, and reports whether it has.
func (s *Settings) dropForeignPlace(p *Profile, layers *[fromFlag + 1]layer) bool {
	if p == nil {
		return false
	}
	zone, own := merge(*layers)(nameZone), Zone(p.Zone)
	if own == "" {
		own = Local
		if z := ZoneOfAddress(p.BaseURL); z != "" {
			own = z
		}
	}
	if zone.level <= fromProfile || Zone(zone.Value) == own {
		return false
	}
	left := ""
	for _, name := range settingNames() {
		if v, ok := layers[fromProfile][name]; ok && bound(name) {
			delete(layers[fromProfile], name)
			left += fmt.Sprintf(" %s=%s", name, v.Value)
		}
	}
	if left != "" {
		s.Notes = append(s.Notes, fmt.Sprintf("profile %s is for zone %s, but %s chose %s: not used:%s", p.Name, own, zone.From, zone.Value, left))
	}
	return true
}

// settlePlace checks that zone and address agree, and completes one by the other.
func (s *Settings) settlePlace() error {
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
		return &Error{Kind: ErrUsage, Field: s.Zone.From, Msg: fmt.Sprintf("zone local runs on this machine, but %s sets base-url %s", s.BaseURL.From, addr),
			hint: "unset one of the two"}
	}
	return nil
}

// settleKey finds the key and decides whether it may be sent to the address, see the package comment.
func (s *Settings) settleKey(store *Store, p *Profile, env string) error {
	addr := s.BaseURL.Value
	if addr == "" {
		s.KeyFrom = "zone local uses no key"
		return nil
	}
	if env != "" {
		key, err := NewKey(env)
		if err != nil {
			return rename(err, "environment DIG_API_KEY")
		}
		if by := s.chosenByProjectFile(); by != "" {
			s.keyErr = &Error{Kind: ErrNotAllowed, Field: "environment DIG_API_KEY",
				Msg:  fmt.Sprintf("is not sent to %s, which was chosen by %s", addr, by),
				hint: "if this is the intended address, set it yourself: --base-url or DIG_BASE_URL"}
			s.KeyFrom = "DIG_API_KEY is not used: the address was chosen by " + by
			return nil
		}
		s.Key, s.KeyFrom = key, "environment DIG_API_KEY"
		if h := KeyHint(Zone(s.Zone.Value), key); h != "" {
			s.Notes = append(s.Notes, h)
		}
		return nil
	}
	if p == nil {
		s.keyErr = &Error{Kind: ErrNotAllowed, Msg: "there is no key for " + addr,
			hint: fmt.Sprintf("dig profile add NAME --zone %s, or set DIG_API_KEY", s.Zone.Value)}
		s.KeyFrom = "no profile and no DIG_API_KEY"
		return nil
	}
	stored, err := store.Key(*p)
	switch {
	case err != nil:
		s.keyErr, s.KeyFrom = err, err.Error()
	case !SamePlace(stored.Address, addr):
		s.KeyFrom = fmt.Sprintf("the key of profile %s was stored for %s and is sent only there", p.Name, stored.Address)
		s.keyErr = &Error{Kind: ErrNotAllowed, Msg: fmt.Sprintf("%s, not to %s (%s)", s.KeyFrom, addr, s.BaseURL.From),
			hint: fmt.Sprintf("store a key for that address: dig profile add NAME --base-url %s, or set DIG_API_KEY", addr)}
	default:
		s.Key, s.KeyFrom = stored.Key, fmt.Sprintf("profile %s (%s)", p.Name, p.KeyStorage)
		s.KeyExpires = p.KeyExpires
	}
	return nil
}

// chosenByProjectFile returns the project file if it chose the address, directly or through a profile it named, and the
// address is not a default address of a zone; else "".
func (s *Settings) chosenByProjectFile() string {
	if ZoneOfAddress(s.BaseURL.Value) != "" {
		return ""
	}
	switch {
	case s.BaseURL.level == fromProject:
		return s.BaseURL.From
	case s.BaseURL.level == fromProfile && s.Profile.level == fromProject:
		return "profile " + s.Profile.Value + ", named by " + s.Profile.From
	}
	return ""
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
	d, err := ParseTimeout(s.Timeout.Value) // checked by Resolve
	return d, err == nil
}

// HistoryBytes is the maximum size of a result that is stored for `query last`; 0 for none.
func (s *Settings) HistoryBytes() int64 {
	n, err := ParseSize(s.History.Value) // checked by Resolve
	if err != nil {
		return 0
	}
	return n
}

// Explain lists every setting with its source; the key is masked.
func (s *Settings) Explain() []Explained {
	all := []Value{s.Profile, s.Zone, s.BaseURL, s.Org, s.Workspace, s.Project, s.Output, s.Timeout, s.History}
	out := make([]Explained, 0, len(all)+1)
	for i, name := range settingNames() {
		out = append(out, Explained{Name: name, Value: all[i].Value, From: all[i].From})
	}
	return append(out, Explained{Name: "key", Value: s.Key.String(), From: s.KeyFrom})
}
