package files_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
)

// TestCredentials: a credential is found where the tools of AWS find one, and the lack of one names the places.
func TestCredentials(t *testing.T) {
	s := s3test.New(t)
	home := t.TempDir()
	file := filepath.Join(home, ".aws", "credentials")
	text := fmt.Sprintf("# keys\n[other]\naws_access_key_id=AKIAOTHER\naws_secret_access_key=x\n\n[mine]\n"+
		"AWS_ACCESS_KEY_ID = %s\naws_secret_access_key = %s\n[half]\naws_access_key_id = x\n", s3test.KeyID,
		s3test.Secret)
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	container := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"AccessKeyId": %q, "SecretAccessKey": %q}`, s3test.KeyID, s3test.Secret)
	}))
	defer container.Close()
	token := filepath.Join(home, "token")
	if err := os.WriteFile(token, []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		env  map[string]string
		want string // of the error
	}{
		{map[string]string{"HOME": home, "AWS_PROFILE": "mine"}, ""},
		{map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "mine"}, ""},
		{map[string]string{"AWS_ACCESS_KEY_ID": s3test.KeyID, "AWS_SECRET_ACCESS_KEY": s3test.Secret, "HOME": home,
			"AWS_PROFILE": "other"}, ""},
		{map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": container.URL,
			"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token}, ""},
		{map[string]string{"HOME": home, "AWS_PROFILE": "other"}, "InvalidAccessKeyId (status 403)"},
		{map[string]string{"HOME": home}, "has no aws_access_key_id and aws_secret_access_key for the profile default"},
		{map[string]string{"HOME": home, "AWS_PROFILE": "half"}, "for the profile half"},
		{map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file + "x"}, "credentialsx: "},
		{map[string]string{"AWS_SECRET_ACCESS_KEY": s3test.Secret}, "set together"},
		{map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": token}, "AWS_WEB_IDENTITY_TOKEN_FILE is not supported"},
		{nil, "there is no credential"},
	} {
		getenv := func(name string) string {
			if name == "AWS_EC2_METADATA_DISABLED" {
				return "true"
			}
			return c.env[name]
		}
		b, err := files.OpenBucket(files.Options{Address: "s3://lake", Endpoint: s.URL, Getenv: getenv})
		if err != nil {
			t.Fatal(err)
		}
		err = b.Try(context.Background())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: %v, want %q", i, err, c.want)
		}
		var e *files.Error
		if err != nil && (!errors.As(err, &e) || e.Away || strings.Contains(err.Error(), s3test.Secret)) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
