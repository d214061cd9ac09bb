// Package zone is what a client has to know of the gateway of zone local: its address, its first objects, how it is
// opened, and what an examination of its data finds. A client that imports this package links to no gateway.
package zone

import (
	"context"
	"net/http"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// BaseURL is the base address under which a gateway in this process serves; its host is never looked up.
const BaseURL = "http://localhost/api/v1"

// Identifiers that every data directory starts with, so that zone local needs no look-up.
const (
	DefaultOrganization = "00000000-0000-4000-8000-000000000001"
	DefaultWorkspace    = "00000000-0000-4000-8000-000000000002"
	DefaultProject      = "localdev"
)

// Gateway is an open gateway in this process.
type Gateway interface {
	Transport() http.RoundTripper
	Interrupt() // cancels the background work, which Close waits for
	Close() error
}

// Options are those of a gateway that a client opens.
type Options struct {
	Dir      string
	ReadOnly bool  // change nothing in Dir
	Spool    int64 // maximum bytes on the disk of the unread part of each reply; 0 for none
	Now      func() time.Time
	Version  string
	KeepOut  []string // directories besides Dir that connections must not read
	Configs  []string // directories with YAML files and keys that connections must not read
	Engine   engine.Options
}

// Elsewhere is the error of a data directory whose state is not in it but in PostgreSQL, or whose rows are in another
// engine: only a gateway that is served opens that.
type Elsewhere struct {
	Dir     string
	Address string // of the state, without a password
	Engine  string // if it is the rows that are elsewhere
}

func (e *Elsewhere) Error() string {
	if e.Engine != "" {
		return "the rows of the data directory " + e.Dir + " are in the engine " + e.Engine
	}
	return "the state of the data directory " + e.Dir + " is in PostgreSQL: " + e.Address
}

// Remedy says which commands there are for it.
func (e *Elsewhere) Remedy() string {
	if e.Engine != "" {
		return "only `dig gateway serve --engine " + e.Engine + "` opens it, also for other dig processes on this " +
			"machine; `dig project export` saves a project with its rows, and `dig project delete` deletes it with them"
	}
	return "`dig gateway serve --store " + e.Address + "` serves it, also to other dig processes on this machine; " +
		"pg_dump saves the state"
}

// Functions are how a client reaches zone local. In a build without an engine those that open one return
// engine.ErrNoEngine.
type Functions struct {
	Available bool // the build has an engine
	Open      func(Options) (Gateway, error)
	Dial      func(dir string) (rt http.RoundTripper, serving bool, err error) // a running `gateway serve`
	Verify    func(context.Context, Options, Depth) ([]Finding, error)         // without changing the data
	Engine    func(engine.Options) (engine.Engine, error)                      // without a gateway
}

// Depth is how thoroughly a data directory is verified.
type Depth int

const (
	Look Depth = iota // what is there, and its size: a served gateway does this when it starts
	Each              // every file is opened
	Rows              // every file is read
)

// Finding is the outcome of verifying one part of a data directory.
type Finding struct {
	Part    string `json:"part"`   // state, secret.key or project
	Name    string `json:"name"`   // of the project, or the path of the file
	Status  string `json:"status"` // ok, damaged, or leftover for what belongs to no project
	Problem string `json:"problem,omitempty"`
	Remedy  string `json:"remedy,omitempty"`

	Users []engine.User `json:"users,omitempty"` // other processes that have it open
}

// The values of Finding.Status.
const (
	StatusOK       = "ok"
	StatusDamaged  = "damaged"
	StatusLeftover = "leftover"
)
