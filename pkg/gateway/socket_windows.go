package gateway

import (
	"net"
	"os"
)

// listenSocket listens on a socket in the data directory, whose access list guards it.
func listenSocket(path string) (net.Listener, error) {
	os.Remove(path) // the lock is ours: whoever made it is gone
	return net.Listen("unix", path)
}
