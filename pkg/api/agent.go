package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// AgentService has the methods of one group of endpoints.
type AgentService struct{ c *Client }

// Chat runs POST /ai-agent/{projectId}/chat.
func (s *AgentService) Chat(ctx context.Context, project string, body AgentChatRequest) (AgentChatResult, error) {
	return call[AgentChatResult](ctx, s.c, spec.AgentChat.At(project), body)
}

// Threads runs GET /ai-agent/{projectId}/threads.
func (s *AgentService) Threads(ctx context.Context, project string) ([]AgentThread, error) {
	return callList[AgentThread](ctx, s.c, spec.ListAgentThreads.At(project), nil, "threads")
}

// Thread runs GET /ai-agent/{projectId}/threads/{threadId}.
func (s *AgentService) Thread(ctx context.Context, project, thread string) (AgentThreadState, error) {
	return call[AgentThreadState](ctx, s.c, spec.GetAgentThread.At(project, thread), nil)
}

// RenameThread runs PUT /ai-agent/{projectId}/threads/{threadId}.
func (s *AgentService) RenameThread(ctx context.Context, project, thread string, body AgentThreadUpdateRequest) error {
	return run(ctx, s.c, spec.RenameAgentThread.At(project, thread), body)
}

// DeleteThread runs DELETE /ai-agent/{projectId}/threads/{threadId}.
func (s *AgentService) DeleteThread(ctx context.Context, project, thread string) error {
	return run(ctx, s.c, spec.DeleteAgentThread.At(project, thread), nil)
}

// AskLegacy runs POST /ai/{projectId}/agent.
//
// The documents mark it as deprecated and name a successor.
func (s *AgentService) AskLegacy(ctx context.Context, project string,
	body LegacyAgentRequest) (LegacyAgentResponse, error) {
	return call[LegacyAgentResponse](ctx, s.c, spec.AskLegacyAgent.At(project), body)
}

// HistoryLegacy runs GET /ai/{projectId}/agent/history.
//
// The documents mark it as deprecated and name a successor.
func (s *AgentService) HistoryLegacy(ctx context.Context, project string) (LegacyChatHistory, error) {
	return call[LegacyChatHistory](ctx, s.c, spec.GetLegacyChatHistory.At(project), nil)
}

// RenameLegacy runs PUT /ai/{projectId}/agent/history/{threadId}.
//
// The documents mark it as deprecated and name a successor.
func (s *AgentService) RenameLegacy(ctx context.Context, project, thread string,
	body LegacyChatRename) (LegacyChatHistory, error) {
	return call[LegacyChatHistory](ctx, s.c, spec.RenameLegacyChat.At(project, thread), body)
}

// DeleteLegacy runs DELETE /ai/{projectId}/agent/history/{threadId}.
//
// The documents mark it as deprecated and name a successor.
func (s *AgentService) DeleteLegacy(ctx context.Context, project, thread string) (LegacyChatHistory, error) {
	return call[LegacyChatHistory](ctx, s.c, spec.DeleteLegacyChat.At(project, thread), nil)
}
