package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

func message(kind byte, body string) []byte {
	return append(append([]byte{kind}, binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))...), body...)
}

// TestHostileServers: notices and parameters without end, and messages that no memory could hold, are an error.
func TestHostileServers(t *testing.T) {
	welcome := append(message('R', "\x00\x00\x00\x00"), message('Z', "I")...)
	for name, flood := range map[string]func(i int) []byte{
		"parameters": func(i int) []byte { return message('S', fmt.Sprintf("name%d\x00value\x00", i)) },
		"notices":    func(int) []byte { return message('N', "SNOTICE\x00Mhello\x00\x00") },
		"large":      func(int) []byte { return message('N', "SNOTICE\x00M"+strings.Repeat("x", 1<<20)+"\x00\x00") },
		"messages":   func(int) []byte { return message('A', "\x00\x00\x00\x01a\x00b\x00") },
		"a gigabyte": func(int) []byte { return []byte{'D', 0x3f, 0xff, 0xff, 0xff} },
		"less":       func(int) []byte { return []byte{'D', 0, 0, 0, 1} },
	} {
		for when, first := range map[string][]byte{"before": message('R', "\x00\x00\x00\x00"), "after": welcome} {
			t.Run(name+" "+when, func(t *testing.T) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				go func() {
					for {
						c, err := l.Accept()
						if err != nil {
							return
						}
						go func() {
							defer c.Close()
							go func() { _, _ = io.Copy(io.Discard, c) }()
							if _, err := c.Write(first); err != nil {
								return
							}
							for i := 0; ; i++ {
								if _, err := c.Write(flood(i)); err != nil {
									return
								}
							}
						}()
					}
				}()
				conn, err := Type().Open(connector.Credential{"url": "127.0.0.1",
					"port": float64(l.Addr().(*net.TCPAddr).Port), "user": "u", "password": "p", "databaseName": "d"},
					connector.Reach{})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if names, err := conn.Schemas(t.Context()); err == nil {
					t.Errorf("schemas %q", names)
				} else if t.Context().Err() != nil || strings.Contains(err.Error(), "deadline") {
					t.Errorf("ended by time alone: %v", err)
				}
			})
		}
	}
}

// TestNamesWithoutEnd: a server that names what no memory could hold is refused, and what it goes on to say is not read
// to its end.
func TestNamesWithoutEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	talk := func(c net.Conn) {
		defer c.Close()
		one := message('T', "\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x19\xff\xff\xff\xff\xff\xff\x00\x00")
		name := message('D', "\x00\x01\x00\x10\x00\x00"+strings.Repeat("x", 1<<20))
		for i, said := range [][]byte{
			append(message('R', "\x00\x00\x00\x00"), message('Z', "I")...),
			bytes.Join([][]byte{message('1', ""), message('t', "\x00\x00"), one, message('Z', "I")}, nil),
			append(message('2', ""), one...),
		} {
			for { // until the client waits: a startup message, or what ends in Sync
				p := make([]byte, 64<<10)
				n, err := c.Read(p)
				if err != nil {
					return
				}
				if i == 0 || bytes.HasSuffix(p[:n], message('S', "")) {
					break
				}
			}
			if _, err := c.Write(said); err != nil {
				return
			}
		}
		for {
			if _, err := c.Write(name); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go talk(c)
		}
	}()
	conn, err := Type().Open(connector.Credential{"url": "127.0.0.1", "port": float64(l.Addr().(*net.TCPAddr).Port),
		"user": "u", "password": "p", "databaseName": "d"}, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Schemas(t.Context()); err == nil || !strings.Contains(err.Error(), "lists more than") {
		t.Error(err)
	}
}

// TestMessageBounds feeds messages in pieces of every size.
func TestMessageBounds(t *testing.T) {
	ordinary := bytes.Join([][]byte{message('S', "a\x00b\x00"), message('D', strings.Repeat("x", 100)),
		message('N', "x"), message('Z', "I")}, nil)
	for step := 1; step <= len(ordinary); step++ {
		b := &bounded{}
		for at := 0; at < len(ordinary); at += step {
			if err := b.watch(ordinary[at:min(at+step, len(ordinary))]); err != nil {
				t.Fatalf("steps of %d: %v", step, err)
			}
		}
		if b.left != 0 || b.have != 0 || b.params != 1 {
			t.Fatalf("steps of %d: %+v", step, b)
		}
	}
}
