package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestSecretsMaskThemselves: no verb and no logger shows a secret, alone or inside a request; the wire gets it whole.
func TestSecretsMaskThemselves(t *testing.T) {
	const text = "hunter2-hunter2"
	req := MetadataRefreshRequest{CallbackURL: "u", CallbackToken: text}
	con := ConnectionRequest{Name: "n", Credential: Credential{"password": text}}
	for _, v := range []any{Secret(text), req, &req, con, &con, con.Credential} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, text) ||
				strings.Contains(got, fmt.Sprintf("%x", text)) {
				t.Errorf("%T under %s: %s", v, verb, got)
			}
		}
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v)
		if strings.Contains(b.String(), text) {
			t.Errorf("%T is logged as %s", v, b.String())
		}
	}
	for _, v := range []any{req, con} {
		if raw, err := Marshal(v); err != nil || !strings.Contains(string(raw), text) {
			t.Errorf("%s, %v", raw, err)
		}
	}
}

// TestFieldsOfSecrets finds texts of request types that are secrets by their name and not by their type.
func TestFieldsOfSecrets(t *testing.T) {
	name := regexp.MustCompile(`(?i)token$|password|secret|credential$`)
	var look func(path string, typ reflect.Type, seen map[reflect.Type]bool)
	look = func(path string, typ reflect.Type, seen map[reflect.Type]bool) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map &&
			typ != reflect.TypeFor[Credential]() {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if name.MatchString(f.Name) {
				if ft := f.Type; ft != reflect.TypeFor[Secret]() && ft != reflect.TypeFor[Credential]() &&
					ft.Kind() != reflect.Bool && ft.Kind() != reflect.Struct {
					t.Errorf("%s.%s is a %v", path, f.Name, ft)
				}
			}
			look(path+"."+f.Name, f.Type, seen)
		}
	}
	services := reflect.TypeFor[Services]()
	for i := range services.NumField() {
		service := services.Field(i).Type
		for m := range service.NumMethod() {
			method := service.Method(m)
			for n := 1; n < method.Type.NumIn(); n++ {
				look(service.String()+"."+method.Name, method.Type.In(n), map[reflect.Type]bool{})
			}
		}
	}
}
