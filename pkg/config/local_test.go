package config

import "testing"

// TestUnknownAddressesAreNotLocal: a gateway at an address that is neither of this process nor of this machine is
// treated as a hosted one.
func TestUnknownAddressesAreNotLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"": true, "http://127.0.0.1:1/api/v1": true, "https://localhost:8443/api/v1": true,
		"http://[::1]:1/api/v1": true, "https://127.0.0.2/api/v1": true,
		"https://h.example/api/v1": false, "https://10.0.0.1/api/v1": false, "https://localhost.example/api/v1": false,
		"https://192.168.1.2:8080/api/v1": false,
		"https://gateway/api/v1":          false, "https://[fe80::1]/api/v1": false, DefaultAddresses(EU)[0]: false,
	} {
		for what, resolve := range map[string]func(f *fixture) (*Settings, error){
			"variable": func(f *fixture) (*Settings, error) { return f.resolve(nil, "DIG_BASE_URL", address) },
			"profile": func(f *fixture) (*Settings, error) {
				p := Profile{Name: "w", BaseURL: address}
				if address == "" {
					p.Zone = "local"
				}
				f.profile(p, "", true)
				return f.resolve(nil)
			},
		} {
			s, err := resolve(newFixture(t))
			if err != nil || s.Local() != want {
				t.Errorf("%s %q: local %v, %v", what, address, s.Local(), err)
			}
			if wantName := map[bool]string{true: "zone local", false: "the gateway at " +
				address}[want]; s.Where() != wantName && s.Where() != "zone eu" {
				t.Errorf("%s %q: %s", what, address, s.Where())
			}
		}
	}
}

// TestFilesAreSwitchedOff: any source can switch files off, and none on again.
func TestFilesAreSwitchedOff(t *testing.T) {
	for _, c := range []struct {
		profile, project, value, no string
		want, from                  string
	}{
		{want: "on", from: "default"},
		{no: "1", want: "off", from: "environment DIG_NO_FILES"},
		{no: "0", want: "on", from: "default"},
		{profile: "off", want: "off", from: "profile w"},
		{profile: "off", project: "on", value: "on", no: "0", want: "off", from: "profile w"},
		{profile: "on", project: "off", value: "on", want: "off"},
		{profile: "on", value: "off", want: "off", from: "environment DIG_FILES"},
	} {
		f := newFixture(t)
		f.profile(Profile{Name: "w", Zone: "local", Files: c.profile}, "", true)
		if c.project != "" {
			f.project("files: " + c.project + "\n")
		}
		s, err := f.resolve(nil, "DIG_FILES", c.value, "DIG_NO_FILES", c.no)
		if err != nil || s.Files.Value != c.want || c.from != "" && s.Files.From != c.from {
			t.Errorf("%+v: %+v, %v", c, s.Files, err)
		}
	}
	for name, value := range map[string]string{"DIG_NO_FILES": "yes!", "DIG_FILES": "no"} {
		if _, err := newFixture(t).resolve(nil, name, value); err == nil {
			t.Errorf("%s=%s is accepted", name, value)
		}
	}
}
