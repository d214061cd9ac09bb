package resolve

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
)

// Threads lists the conversations with the agent.
func Threads(ctx context.Context, cl *api.Client, project string) Names {
	return namesOf(func() ([]api.AgentThread, error) { return cl.Agent.Threads(ctx, project) },
		func(t api.AgentThread) Named { return Named{ID: t.ThreadID, Name: t.DisplayName} })
}

// ThreadID finds a conversation by id or name.
func ThreadID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	return Threads(ctx, cl, project).find("thread", set, uuidLike())
}

// Conversations lists the conversations of the chat history; the id of each is that of its thread.
func Conversations(ctx context.Context, cl *api.Client, project string) Names {
	return namesOf(func() ([]api.LegacyChatRecord, error) {
		all, err := cl.Agent.HistoryLegacy(ctx, project)
		return all.History, err
	}, func(r api.LegacyChatRecord) Named {
		if r.AIThreadID == "" {
			r.AIThreadID = r.ID
		}
		return Named{ID: r.AIThreadID, Name: r.DisplayName}
	})
}

// ConversationID finds a conversation of the chat history by id or name.
func ConversationID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	return Conversations(ctx, cl, project).find("conversation", set, uuidLike())
}
