package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	hostedKey = "abcd1234.ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
	secretEnd = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
)

func mustKey(t testing.TB, text string) Key {
	t.Helper()
	k, err := NewKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

type holder struct {
	key  Key
	Key  Key
	Ptr  *Key
	List []Key
}

func TestKeyIsMaskedEverywhere(t *testing.T) {
	k := mustKey(t, hostedKey)
	h := holder{key: k, Key: k, Ptr: &k, List: []Key{k}}
	out := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%08b", "%T",
		"%p", "%U", "%e"} {
		out["key "+verb] = fmt.Sprintf(verb, k)
		out["pointer "+verb] = fmt.Sprintf(verb, &k)
		out["holder "+verb] = fmt.Sprintf(verb, h)
		out["pointer to holder "+verb] = fmt.Sprintf(verb, &h)
		out["settings "+verb] = fmt.Sprintf(verb, Settings{Key: k})
	}
	out["print"] = fmt.Sprint(k, h)
	out["error"] = fmt.Errorf("with %w and %v", errors.New("x"), k).Error()
	for name, v := range map[string]any{"key": k, "holder": h, "map": map[string]Key{"a": k},
		"settings": Settings{Key: k}, "stored": StoredKey{Key: k}} {
		js, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out["json "+name] = string(js)
		ym, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out["yaml "+name] = string(ym)
	}
	js, err := json.Marshal(map[Key]int{k: 1})
	if err != nil {
		t.Fatal(err)
	}
	out["json map key"] = string(js)
	var b bytes.Buffer
	for name, h := range map[string]slog.Handler{"text": slog.NewTextHandler(&b, nil),
		"json": slog.NewJSONHandler(&b, nil)} {
		b.Reset()
		slog.New(h).Info("m", "key", k, "group", slog.GroupValue(slog.Any("k", k)), "in", Settings{Key: k},
			"list", []Key{k})
		out["slog "+name] = b.String()
	}
	hex := fmt.Sprintf("%x", secretEnd)
	for name, text := range out {
		if strings.Contains(text, secretEnd) || strings.Contains(strings.ToLower(text), hex) {
			t.Errorf("%s shows the key: %s", name, text)
		}
	}
	if got := k.String(); got != "abcd1234.****" {
		t.Errorf("String: %q", got)
	}
	for _, verb := range []string{"%d", "%t", "%x"} {
		if got := fmt.Sprintf(verb, k); got != "abcd1234.****" {
			t.Errorf("%s: %q", verb, got)
		}
	}
	if got := k.LogValue().String(); got != "abcd1234.****" {
		t.Errorf("LogValue: %q", got)
	}
	if k.Reveal() != hostedKey {
		t.Errorf("Reveal: %q", k.Reveal())
	}
}

func TestKeyMaskHidesOddKeysWhole(t *testing.T) {
	for _, text := range []string{"x", "abcd.efgh", "short", "abcd1234." + secretEnd + "6", "abcd123." + secretEnd} {
		if got := mustKey(t, text).String(); got != "****" {
			t.Errorf("%q shows as %q", text, got)
		}
	}
	if (Key{}).String() != "" || !(Key{}).IsZero() {
		t.Error("the zero key is not empty")
	}
}

func TestNewKey(t *testing.T) {
	if got := mustKey(t, " \t"+hostedKey+"\r\n").Reveal(); got != hostedKey {
		t.Errorf("white space around: %q", got)
	}
	for _, bad := range []string{"", "  \n", "two words", "a\nb", "a\x00b", "ä", strings.Repeat("x", 4097),
		hostedKey + "\r\nX-Evil: 1"} {
		_, err := NewKey(bad)
		if !errors.Is(err, ErrUsage) {
			t.Errorf("%q accepted (%v)", bad, err)
		} else if len(bad) > 30 && strings.Contains(err.Error(), secretEnd) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}

func TestKeyHint(t *testing.T) {
	for _, c := range []struct {
		zone Zone
		key  string
		want bool
	}{{US, hostedKey, false}, {EU, "nonsense", true}, {US, "nonsense", true}, {Local, "nonsense", false}} {
		if got := KeyHint(c.zone, mustKey(t, c.key)); (got != "") != c.want {
			t.Errorf("%s %s: %q", c.zone, c.key, got)
		} else if strings.Contains(got, c.key) {
			t.Errorf("the hint repeats the key: %q", got)
		}
	}
}
