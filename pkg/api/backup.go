package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// BackupRequest is the body of Client.Backup.
type BackupRequest struct {
	Directory string `json:"directory"`
}

// Backup describes the files of a backup.
type Backup struct {
	Moment   string            `json:"moment"` // whose rows and state they hold
	Schema   int               `json:"schema"` // version of the state file
	Projects []BackedUpProject `json:"projects"`
}

// BackedUpProject is a project of a backup.
type BackedUpProject struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // of its rows
}

// Backup copies the state and the rows of zone local, of one moment, to an empty directory of this machine. Only zone
// local has it; it is not an operation of the service.
func (c *Client) Backup(ctx context.Context, directory string) (Backup, error) {
	return call[Backup](ctx, c, spec.BackupLocal.At(), BackupRequest{Directory: directory})
}
