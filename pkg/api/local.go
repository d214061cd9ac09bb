package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// CompactRequest is the body of Client.Compact.
type CompactRequest struct {
	ProjectID string `json:"projectId,omitempty"`
}

// Compaction is what files took before and take now.
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
	Error       *string `json:"error,omitempty"`  // why it stays as it is
	Status      *int    `json:"status,omitempty"` // that the error would have alone
}

// Compact gives back the room that the files of zone local no longer need: those of the project, or with "" all. Zone local alone has it;
// it is no operation of the service.
func (c *Client) Compact(ctx context.Context, project string) (Compaction, error) {
	return call[Compaction](ctx, c, spec.CompactLocal.At(), CompactRequest{ProjectID: project})
}
