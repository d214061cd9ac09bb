package gateway

import (
	"net"
	"os"
)

// listenSocket listens on a socket in the data directory, which is protected by its access control list.
func listenSocket(path string) (net.Listener, error) {
	os.Remove(path) // we hold the lock, so its creator has terminated
	return net.Listen("unix", path)
}
