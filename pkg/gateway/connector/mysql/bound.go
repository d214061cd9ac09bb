package mysql

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
)

// Limits on what a server may send. Real servers stay far below: a table has at most 4,096 columns, and a packet is at
// most 1 GiB.
const (
	maxColumns = 10_000
	maxPacket  = 256 << 20
	maxAside   = 16 << 20  // bytes of the metadata of a result, and of an error
	maxNames   = 1_000_000 // of databases, tables and columns
	maxText    = 64 << 20  // bytes of such names
)

// due is the expected type of the next packet.
type due int

const (
	dueLogin  due = iota // a packet of the login, or the greeting before it
	dueReply             // the reply to a statement: OK, an error or the number of columns
	dueColumn            // the definition of a column
	dueEOF               // the end of the definitions, if the server sends such a packet
	dueRow               // a row, or the end of the rows
)

// bounded watches the packets of a server and closes a connection that announces more than fits in memory: the driver
// allocates memory for all columns that a reply announces before it reads one. It parses replies like the driver, so
// that both interpret each packet in the same way.
type bounded struct {
	net.Conn
	due     due
	columns uint64 // definitions still to come
	aside   int    // bytes other than rows since the start of the last reply
	head    [4]byte
	have    int // bytes of head
	left    int // remaining bytes of the packet's part
	first   []byte
	size    int // of the packet with all its parts
	part    int // of the part
	failed  error
	told    *verdict // receives the reason of a failure; may be nil

	greeted   bool        // the first packet of the login was received
	fast      bool        // the last packet of the login is followed by another one without a reply of the driver
	turn      atomic.Bool // the driver has sent something since the last packet of the login
	asked, in atomic.Bool // the driver has answered the greeting; the server has accepted the login
	noEOF     atomic.Bool // the server sends no packet at the end of the definitions
}

const deprecateEOF = 1 // CLIENT_DEPRECATE_EOF, in the fourth byte of the driver's capabilities

var errNotIn = errors.New("the server ends the login unexpectedly")

// Write implements net.Conn. It records the negotiated capabilities, and that the driver considers the login complete.
func (b *bounded) Write(p []byte) (int, error) {
	if !b.in.Load() && len(p) >= 8 {
		if p[3] == 0 { // a statement
			b.told.set(errNotIn)
			return 0, errNotIn
		}
		if !b.asked.Swap(true) {
			b.noEOF.Store(p[7]&deprecateEOF != 0)
		}
	}
	b.turn.Store(true)
	return b.Conn.Write(p)
}

// Read implements net.Conn. It returns no bytes that it has read together with a rejected packet.
func (b *bounded) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.Conn.Read(p)
	if b.failed = b.watch(p[:n]); b.failed != nil {
		b.told.set(b.failed)
		return 0, b.failed
	}
	return n, err
}

// verdict is the reason why a connection was closed. The driver reports every such reason as an invalid connection.
type verdict struct{ why atomic.Pointer[error] }

// verdictKey is the context key under which the connector passes the verdict through the driver to the dial function.
type verdictKey struct{}

func (v *verdict) set(err error) {
	if v != nil {
		v.why.CompareAndSwap(nil, &err)
	}
}

// instead returns the verdict instead of an error, if there is a verdict.
func (v *verdict) instead(err error) error {
	if why := v.why.Load(); err != nil && why != nil {
		return *why
	}
	return err
}

// SyscallConn implements syscall.Conn, which the driver uses to detect that the server has closed the connection.
func (b *bounded) SyscallConn() (syscall.RawConn, error) {
	if c, ok := b.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

func (b *bounded) watch(p []byte) error {
	for len(p) > 0 {
		if b.have < len(b.head) {
			k := copy(b.head[b.have:], p)
			b.have, p = b.have+k, p[k:]
			if b.have < len(b.head) {
				return nil
			}
			b.part = int(b.head[0]) | int(b.head[1])<<8 | int(b.head[2])<<16
			b.left = b.part
			if b.size == 0 {
				b.first = b.first[:0]
			}
			if b.size += b.left; b.size > maxPacket {
				return fmt.Errorf("the server sends a packet of more than %d MiB", maxPacket>>20)
			}
		}
		k := min(b.left, len(p))
		if room := 9 - len(b.first); room > 0 {
			b.first = append(b.first, p[:min(room, k)]...)
		}
		b.left, p = b.left-k, p[k:]
		if (b.due != dueRow || first(b.first) == 0xff) && b.aside+b.size > maxAside {
			return fmt.Errorf("the server sends more than %d MiB of data other than rows", maxAside>>20)
		}
		if b.left > 0 {
			return nil
		}
		b.have = 0
		if b.part == 1<<24-1 { // the packet continues
			continue
		}
		err := b.packet()
		if b.size = 0; err != nil {
			return err
		}
	}
	return nil
}

// packet processes a whole packet.
func (b *bounded) packet() error {
	b.aside += b.size
	switch c := first(b.first); b.due {
	case dueLogin:
		return b.login(c)
	case dueReply:
		b.aside = 0
		if b.size == 0 || c == 0 || c == 0xff {
			break
		}
		if c == 0xfb {
			return errors.New("the server requests a file")
		}
		if b.columns = number(b.first); b.columns > maxColumns {
			return fmt.Errorf("the server announces a result of %d columns", b.columns)
		}
		if b.columns > 0 {
			b.due = dueColumn
		}
	case dueColumn:
		if b.columns--; b.columns == 0 {
			if b.due = dueEOF; b.noEOF.Load() {
				b.due = dueRow
			}
		}
	case dueEOF:
		b.due = dueRow
	case dueRow:
		b.aside = 0
		if c == 0xff || c == 0xfe && b.size < 1<<24 {
			b.due = dueReply
		}
	}
	return nil
}

// login processes a packet of the login. It rejects packets other than OK that the driver would accept as the end of
// the login, and packets that the server sends before the driver has answered the previous one. Otherwise such a packet
// could be interpreted as the reply to a statement that was not sent yet.
func (b *bounded) login(c byte) error {
	if b.greeted && !b.fast && !b.turn.Swap(false) {
		return errNotIn
	}
	b.greeted, b.fast = true, false
	switch {
	case c == 0:
		b.due = dueReply
		b.in.Store(true)
	case c == 1:
		b.fast = b.size == 2 && b.first[1] == 3
		if full := b.size == 2 && b.first[1] == 4; !b.fast && !full && !bytes.HasPrefix(b.first, []byte("\x01-----")) {
			return errNotIn
		}
	}
	return nil
}

// number parses a length-encoded number; missing bytes count as zeros.
func number(p []byte) (n uint64) {
	width, ok := map[byte]int{0xfc: 2, 0xfd: 3, 0xfe: 8}[first(p)]
	if !ok {
		return uint64(first(p))
	}
	for i := min(width, len(p)-1); i > 0; i-- {
		n = n<<8 | uint64(p[i])
	}
	return n
}

func first(b []byte) byte {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
