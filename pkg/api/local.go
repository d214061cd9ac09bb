package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// CompactRequest is the body of Client.Compact.
type CompactRequest struct {
	ProjectID string `json:"projectId,omitempty"`
}

// Compaction reports the size of files before and after.
type Compaction struct {
	BytesBefore int64           `json:"bytesBefore"`
	BytesAfter  int64           `json:"bytesAfter"`
	Files       []CompactedFile `json:"files"`
}

// CompactedFile is the data of a project, or the state of all.
type CompactedFile struct {
	Holds       string  `json:"holds"` // "project" or "state"
	ProjectID   *string `json:"projectId,omitempty"`
	ProjectName *string `json:"projectName,omitempty"`
	BytesBefore int64   `json:"bytesBefore"`
	BytesAfter  int64   `json:"bytesAfter"`
	Error       *string `json:"error,omitempty"`  // why it was not changed
	Status      *int    `json:"status,omitempty"` // the status that the error would have on its own
}

// Compact reclaims the unused space in the files of zone local: those of the project, or with "" all. Only zone local
// has it; it is not an operation of the service.
func (c *Client) Compact(ctx context.Context, project string) (Compaction, error) {
	return call[Compaction](ctx, c, spec.CompactLocal.At(), CompactRequest{ProjectID: project})
}
