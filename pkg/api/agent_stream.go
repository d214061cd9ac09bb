package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// WorkflowImage runs GET /ai-agent/workflow/png and returns the PNG.
func (s *AgentService) WorkflowImage(ctx context.Context) ([]byte, error) {
	return s.c.fetch(ctx, spec.GetAgentWorkflowImage.At(), nil)
}

// ChatStream runs POST /ai-agent/{projectId}/chat/stream and returns the open stream of server-sent events [O]; the caller
// closes it.
func (s *AgentService) ChatStream(ctx context.Context, project string, body AgentChatStreamRequest) (*Reply, error) {
	return s.c.open(ctx, spec.AgentChatStream.At(project), body)
}
