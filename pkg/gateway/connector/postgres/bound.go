package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Limits on what a server may send. A value is at most 1 GiB, and real servers send only a few messages that no
// statement requested.
const (
	maxMessage = 256 << 20
	maxAside   = 10_000   // notices, parameters and notifications between two messages that answer a statement
	maxParams  = 10_000   // total number of parameters: the driver stores each name
	maxText    = 16 << 20 // bytes of such messages
	maxNames   = 1_000_000
	maxNamed   = 64 << 20 // bytes of such names
)

var errEndless = errors.New("the server sends notices or parameters without end")

// frontend reads a server's messages within limits.
func frontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	f := pgproto3.NewFrontend(&bounded{Reader: r}, w)
	f.SetMaxBodyLen(maxMessage)
	return f
}

// bounded watches the messages of a server.
type bounded struct {
	io.Reader
	head   [5]byte
	have   int // bytes of head
	left   int // remaining bytes of the message
	aside  int
	text   int
	params int
	failed error
}

// Read implements io.Reader. It returns no bytes that it has read together with a rejected message.
func (b *bounded) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.Reader.Read(p)
	if b.failed = b.watch(p[:n]); b.failed != nil {
		return 0, b.failed
	}
	return n, err
}

func (b *bounded) watch(p []byte) error {
	for len(p) > 0 {
		if b.left > 0 {
			k := min(b.left, len(p))
			b.left, p = b.left-k, p[k:]
			continue
		}
		k := copy(b.head[b.have:], p)
		b.have, p = b.have+k, p[k:]
		if b.have < len(b.head) {
			return nil
		}
		b.have = 0
		size := int64(binary.BigEndian.Uint32(b.head[1:])) - 4
		if size < 0 || size > maxMessage {
			return fmt.Errorf("the server announces a message of %d bytes", size)
		}
		b.left = int(size)
		switch b.head[0] {
		case 'S':
			b.params++
			fallthrough
		case 'N', 'A':
			b.aside++
			b.text += b.left
		default:
			b.aside, b.text = 0, 0
		}
		if b.aside > maxAside || b.text > maxText || b.params > maxParams {
			return errEndless
		}
	}
	return nil
}
