package mysql

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"io"
	"maps"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// hostile is a server that lets everybody in and answers each statement but those that set up a session with what reply
// gives.
func hostile(t *testing.T, reply func(statement string) []byte) *server {
	t.Helper()
	return dialled(t, func(c net.Conn) { serve(c, nil, reply) }, nil)
}

// hostileTLS is the same by TLS, with a certificate that the connection is told to trust.
func hostileTLS(t *testing.T, reply func(statement string) []byte) *server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	more := connector.Credential{"useSsl": true,
		"caCertificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))}
	return dialled(t, func(c net.Conn) { serve(c, cfg, reply) }, more)
}

func dialled(t *testing.T, talk func(net.Conn), more connector.Credential) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); talk(c) }()
		}
	}()
	cred := connector.Credential{"url": "127.0.0.1", "port": float64(l.Addr().(*net.TCPAddr).Port), "user": "u",
		"password": "p"}
	maps.Copy(cred, more)
	conn, err := Type().Open(cred, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*server)
}

func packet(sequence byte, body []byte) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), sequence}, body...)
}

func greeting(flags byte) []byte {
	hello := append([]byte{10}, "8.0.0\x00\x01\x00\x00\x00abcdefgh\x00"...)
	hello = append(hello, 0xff, flags, 45, 2, 0, 0x0f, 0x80, 21)
	return append(append(hello, make([]byte, 10)...), "ijklmnopqrst\x00mysql_native_password\x00"...)
}

// serve lets a client in, by TLS if cfg is not nil, and answers its statements.
func serve(c net.Conn, cfg *tls.Config, reply func(string) []byte) {
	flags := byte(0xf7)
	if cfg != nil {
		flags = 0xff
	}
	if _, err := c.Write(packet(0, greeting(flags))); err != nil {
		return
	}
	if cfg != nil {
		if _, err := io.ReadFull(c, make([]byte, 36)); err != nil { // the wish for TLS
			return
		}
		c = tls.Server(c, cfg)
	}
	ok := []byte{0, 0, 0, 2, 0, 0, 0}
	for n := 0; ; n++ {
		var head [4]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
		if _, err := io.ReadFull(c, body); err != nil {
			return
		}
		out := packet(head[3]+1, ok)
		if n > 0 && len(body) > 0 && body[0] == 1 { // COM_QUIT
			return
		}
		if n > 0 && !bytes.HasPrefix(body, []byte("\x03SET ")) {
			out = reply(string(body))
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

// TestHostileReplies: whatever a server sends is an error, and neither a panic nor a demand for memory.
func TestHostileReplies(t *testing.T) {
	many := append([]byte{0xfe}, binary.LittleEndian.AppendUint64(nil, 1e10)...)
	more := []byte{0, 0, 0, 10, 0, 0, 0} // an OK that another result follows
	var descriptions []byte
	for i := range byte(20) {
		descriptions = append(descriptions, packet(2+i, append([]byte("\x03def\x00\x00\x00\xfd\x00\x00\x10"),
			make([]byte, 1<<20+16)...))...)
	}
	huge := "announces a result of"
	for name, x := range map[string]struct {
		reply []byte
		says  string
	}{
		"10^10 columns":                {packet(1, many), huge},
		"10^10 columns, and more":      {packet(1, append(bytes.Clone(many), 0, 0)), huge},
		"10^10 columns after an OK":    {append(packet(1, more), packet(2, many)...), huge},
		"16 million columns":           {packet(1, []byte{0xfd, 0xff, 0xff, 0xff}), huge},
		"16 million columns, and more": {packet(1, []byte{0xfd, 0xff, 0xff, 0xff, 7}), huge},
		"descriptions without end": {append(packet(1, []byte{0xfc, 0x10, 0x27}), descriptions...),
			"of data other than rows"},
		"an error without end": {slices.Concat([]byte("\xff\xff\xff\x01\xff"), make([]byte, 1<<24-2),
			[]byte("\xff\xff\xff\x02"), make([]byte, 1<<24-1)), "of data other than rows"},
		"a cut OK":                   {packet(1, []byte{0}), ""},
		"a cut count":                {packet(1, []byte{0xfe, 1, 2}), ""},
		"a cut error":                {packet(1, []byte{0xff}), ""},
		"a cut number":               {packet(1, []byte{0xfc}), ""},
		"an OK that goes on":         {packet(1, []byte{0, 0xfe, 0xff}), ""},
		"a file":                     {packet(1, []byte{0xfb}), "requests a file"},
		"nothing but a length":       {packet(1, []byte{0, 0xfd, 0xff, 0xff, 0xff, 0xfe, 0xff}), ""},
		"a description that is none": {append(packet(1, []byte{1}), packet(2, []byte{0xfe, 1})...), ""},
	} {
		for way, server := range map[string]func(*testing.T, func(string) []byte) *server{"plain": hostile,
			"TLS": hostileTLS} {
			t.Run(name+"/"+way, func(t *testing.T) {
				s := server(t, func(string) []byte { return x.reply })
				_ = s.Test(t.Context())
				names, err := s.Schemas(t.Context())
				if len(names) > 0 {
					t.Errorf("schemas %q", names)
				}
				if x.says != "" && (err == nil || !strings.Contains(err.Error(), x.says)) {
					t.Errorf("schemas: %v", err)
				}
				if _, err := s.Table(t.Context(), "a", "b"); err == nil {
					t.Error("a table is found")
				}
				s.kill(1)
			})
		}
	}
}

// TestNamesWithoutEnd: a server that names what no memory could hold is refused, and what it goes on to say is not read
// to its end.
func TestNamesWithoutEnd(t *testing.T) {
	s := dialled(t, func(c net.Conn) {
		serve(c, nil, func(string) []byte {
			def := append([]byte("\x03def\x00\x00\x00\x01a\x00\x0c"), 45, 0, 0, 0, 0, 1, 0xfd, 0, 0, 0, 0, 0)
			if _, err := c.Write(slices.Concat(packet(1, []byte{1}), packet(2, def),
				packet(3, []byte{0xfe, 0, 0, 2, 0}))); err != nil {
				return nil
			}
			name := append([]byte{0xfd, 0, 0, 0x10}, make([]byte, 1<<20)...)
			for i := byte(4); ; i++ {
				if _, err := c.Write(packet(i, name)); err != nil {
					return nil
				}
			}
		})
	}, nil)
	if _, err := s.Schemas(t.Context()); err == nil || !strings.Contains(err.Error(), "lists more than") {
		t.Error(err)
	}
}

// TestServerHangsUp: a connection that the server has closed since the last statement is not used for the next one.
func TestServerHangsUp(t *testing.T) {
	gone := make(chan struct{}, 10)
	s := dialled(t, func(c net.Conn) {
		said := false
		serve(c, nil, func(string) []byte {
			if said {
				return nil
			}
			said = true
			def := append([]byte("\x03def\x00\x00\x00\x01a\x00\x0c"), 45, 0, 0, 0, 0, 1, 0xfd, 0, 0, 0, 0, 0)
			end := []byte{0xfe, 0, 0, 2, 0}
			_, _ = c.Write(slices.Concat(packet(1, []byte{1}), packet(2, def), packet(3, end),
				packet(4, []byte("\x04shop")), packet(5, end)))
			c.Close()
			gone <- struct{}{}
			return nil
		})
	}, nil)
	for range 3 {
		names, err := s.Schemas(t.Context())
		if err != nil || len(names) != 1 || names[0] != "shop" {
			t.Fatal(names, err)
		}
		<-gone
	}
}

// TestPacketBounds feeds packets in pieces of every size, after a login.
func TestPacketBounds(t *testing.T) {
	count := func(n uint64) []byte {
		return packet(1, append([]byte{0xfe}, binary.LittleEndian.AppendUint64(nil, n)...))
	}
	cat := func(p ...[]byte) []byte { return slices.Concat(p...) }
	row := packet(1, append([]byte{0xfc, 0x2c, 1}, make([]byte, 300)...)) // a value of 300 bytes
	tall := packet(1, append([]byte{0xfd, 0, 0x28, 0}, make([]byte, 0x2800)...))
	one, def, end := packet(1, []byte{1}), packet(2, []byte("def")), packet(3, []byte{0xfe, 0, 0, 2, 0})
	for i, x := range []struct {
		stream []byte
		noEOF  bool
		ok     bool
	}{
		{cat(one, def, end, row, row, row, end, one, def, end, end), false, true},
		{cat(one, def, row, row, row, end, one, def, end), true, true},
		{cat(one, def, end, tall, tall, end), false, true},       // a row is no count
		{cat(one, def, end, row, end, count(1e6)), false, false}, // the next reply is
		{cat(one, def, row, end, count(1e6)), true, false},       // and with either way of ending the descriptions
		{cat(one, def, end, packet(4, []byte{0xff, 1, 2}), count(1e6)), false, false},
		{cat(packet(1, []byte{0, 0, 0, 10, 0}), count(1e6)), false, false},
		{count(maxColumns), false, true}, {count(maxColumns + 1), false, false},
		{packet(1, []byte{0xfc, 0, 16}), false, true}, {packet(1, []byte{0xfd, 0, 0, 1}), false, false},
		{packet(2, []byte{0xfd, 0, 0, 1, 9}), false, false},
		{packet(1, nil), false, true}, {packet(1, []byte{0xfb}), false, false},
	} {
		for step := 1; step <= len(x.stream); step += 1 + step/50 {
			b, failed := &bounded{due: dueReply}, false
			b.noEOF.Store(x.noEOF)
			for at := 0; at < len(x.stream) && !failed; at += step {
				failed = b.watch(x.stream[at:min(at+step, len(x.stream))]) != nil
			}
			if failed == x.ok {
				t.Fatalf("%d in steps of %d: refused %v", i, step, failed)
			}
		}
	}
	b := &bounded{due: dueRow}
	part := packet(0, make([]byte, 1<<24-1))
	for range maxPacket >> 24 {
		if err := b.watch(part); err != nil {
			t.Fatal(err)
		}
	}
	if b.watch(part) == nil {
		t.Error("a packet without end is taken")
	}
}

// TestLoginBounds: a server that ends the login in a way that only the driver takes for its end, or speaks before it is
// asked, could make the driver and the watch take different packets for a reply.
func TestLoginBounds(t *testing.T) {
	ok := packet(2, []byte{0, 0, 0, 2, 0, 0, 0})
	many := packet(1, append([]byte{0xfe}, binary.LittleEndian.AppendUint64(nil, 1e10)...))
	for name, said := range map[string][]byte{
		"no OK": packet(2, []byte{1}), "half an OK": packet(2, []byte{1, 3}),
		"a key": packet(2, []byte("\x01-----BEGIN")), "a wish": packet(2, []byte{1, 4}),
		"a reply before the login": slices.Concat(packet(2, []byte{1, 4}), packet(1, []byte{1}), ok),
		"another":                  slices.Concat(packet(2, []byte{1, 9}), many, ok),
	} {
		t.Run(name, func(t *testing.T) {
			s := dialled(t, func(c net.Conn) {
				_, _ = c.Write(packet(0, greeting(0xf7)))
				_, _ = c.Read(make([]byte, 4096))
				_, _ = c.Write(said)
				for { // a statement
					if n, err := c.Read(make([]byte, 4096)); n == 0 || err != nil {
						return
					}
					if _, err := c.Write(many); err != nil {
						return
					}
				}
			}, nil)
			if err := s.Test(t.Context()); err == nil {
				t.Error("logged in")
			}
		})
	}
}
