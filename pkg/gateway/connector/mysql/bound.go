package mysql

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
)

// What a server may send. Real ones stay far below: a table has at most 4,096 columns, and a packet is at most 1 GiB.
const (
	maxColumns = 10_000
	maxPacket  = 256 << 20
	maxAside   = 16 << 20  // bytes of what tells of a result, but for its rows, and of an error
	maxNames   = 1_000_000 // of databases, tables and columns
	maxText    = 64 << 20  // bytes of such names
)

// What the next packet is.
type due int

const (
	dueLogin  due = iota // or the greeting before it
	dueReply             // to a statement: OK, an error or the number of columns
	dueColumn            // the description of one
	dueEOF               // of the descriptions, where the server still sends it
	dueRow               // or the end of the rows
)

// bounded watches the packets of a server and ends a connection that announces what no memory could hold: the driver makes room for
// all columns that a reply names before it reads one. It reads replies as the driver does, so that both take a packet for the same.
type bounded struct {
	net.Conn
	due     due
	columns uint64 // descriptions still to come
	aside   int    // bytes of what is no row, since the last reply began
	head    [4]byte
	have    int // bytes of head
	left    int // bytes of the packet's part still to come
	first   []byte
	size    int // of the packet with all its parts
	part    int // of the part
	failed  error
	told    *verdict // may be nil

	greeted   bool        // the first packet of the login has come
	fast      bool        // and one that another follows without a word of the driver
	turn      atomic.Bool // the driver has spoken since the last packet of the login
	asked, in atomic.Bool // the driver has answered the greeting; the server has let it in
	noEOF     atomic.Bool // no packet ends the descriptions
}

const deprecateEOF = 1 // CLIENT_DEPRECATE_EOF, in the fourth byte of what the driver wants

var errNotIn = errors.New("the server ends the login without saying so")

// Write implements net.Conn. It learns what was agreed upon, and that the login is over for the driver.
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

// Read implements net.Conn. It passes on nothing of a packet that is refused.
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

// verdict is why a connection was ended. The driver says of every such reason that the connection is invalid.
type verdict struct{ why atomic.Pointer[error] }

type verdictKey struct{}

func (v *verdict) set(err error) {
	if v != nil {
		v.why.CompareAndSwap(nil, &err)
	}
}

// instead is the verdict, if there is one, in place of an error.
func (v *verdict) instead(err error) error {
	if why := v.why.Load(); err != nil && why != nil {
		return *why
	}
	return err
}

// SyscallConn implements syscall.Conn, by which the driver finds out that the server has hung up.
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
			return fmt.Errorf("the server sends more than %d MiB beside rows", maxAside>>20)
		}
		if b.left > 0 {
			return nil
		}
		b.have = 0
		if b.part == 1<<24-1 { // the packet goes on
			continue
		}
		err := b.packet()
		if b.size = 0; err != nil {
			return err
		}
	}
	return nil
}

// packet takes note of a whole packet.
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
			return errors.New("the server asks for a file")
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

// login takes note of a packet of the login. The driver takes some that are no OK for its end: those are refused, and those that come
// before it has answered, so that nothing is taken for the reply to a statement that was not sent yet.
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

// number reads a length-encoded number; what is missing counts as zeros.
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
