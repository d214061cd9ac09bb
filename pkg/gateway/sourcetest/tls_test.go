package sourcetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// Both servers have a certificate for 127.0.0.1 that no system trusts.
func TestTLSIsVerified(t *testing.T) {
	for name, start := range map[string]func(*testing.T) server{"postgres": postgres, "mariadb": mariadb} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			file := os.Getenv("DIG_TEST_CA")
			if file == "" {
				t.Skip("DIG_TEST_CA is not set: the servers have no certificate")
			}
			ca, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			other := selfSigned(t)
			z := open(t)
			for _, try := range []struct {
				what string
				add  map[string]any
				want string // in the error; "" is success
			}{
				{"no TLS", nil, ""},
				{"an authority the system does not know", map[string]any{"useSsl": true}, "certificate"},
				{"the right authority", map[string]any{"useSsl": true, "caCertificate": string(ca)}, ""},
				{"another authority", map[string]any{"useSsl": true, "caCertificate": other}, "certificate"},
				{"both", map[string]any{"useSsl": true, "caCertificate": other + string(ca)}, ""},
				{"another name", map[string]any{"useSsl": true, "caCertificate": string(ca), "url": "localhost"},
					"certificate"},
				{"no certificate at all", map[string]any{"useSsl": true, "caCertificate": "secure please"},
					`"caCertificate" contains no certificate`},
				{"an authority that is not used", map[string]any{"caCertificate": string(ca)},
					`"caCertificate" requires "useSsl"`},
			} {
				cred := maps.Clone(s.credential)
				maps.Copy(cred, try.add)
				_, err := z.Connections.Create(t.Context(), project, api.ConnectionRequest{Name: "x " + try.what,
					Type: s.kind, Credential: cred})
				if try.want == "" && err != nil || try.want != "" &&
					(err == nil || !strings.Contains(err.Error(), try.want)) {
					t.Errorf("%s: %v", try.what, err)
				}
			}
			cred := maps.Clone(s.credential)
			maps.Copy(cred, map[string]any{"useSsl": true, "caCertificate": string(ca)})
			z.connect(t, s.catalog, s.kind, cred)
			if s.kind == "POSTGRES" {
				s.run(t, `CREATE OR REPLACE VIEW public.own_tls AS SELECT ssl FROM pg_stat_ssl WHERE pid = `+
					`pg_backend_pid();`)
				if got := z.query(t, "SELECT ssl FROM pg.public.own_tls", api.Compact); *got.rows[0][0] != "true" {
					t.Error("the session is not encrypted")
				}
				return
			}
			s.run(t, `DROP DATABASE IF EXISTS own_tls; CREATE DATABASE own_tls; CREATE SQL SECURITY INVOKER VIEW `+
				`own_tls.v AS SELECT variable_value AS cipher FROM information_schema.session_status WHERE `+
				`variable_name = 'SSL_CIPHER';`)
			if got := z.query(t, "SELECT cipher FROM maria.own_tls.v", api.Compact); got.rows[0][0] == nil ||
				*got.rows[0][0] == "" {
				t.Error("the session is not encrypted")
			}
		})
	}
}

// selfSigned is the PEM text of an unrelated self-signed certificate.
func selfSigned(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
