package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *Gateway) agentRoutes(m *web.Mux) {
	web.Handle(m, spec.AgentChat, web.Refuse[api.AgentChatResult](web.NeedsModel))
	web.Handle(m, spec.AgentChatStream, web.Refuse[web.Stream](web.NeedsModel))
	// the image shows the steps of the model's agent
	web.Handle(m, spec.GetAgentWorkflowImage, web.Refuse[web.Stream](web.NeedsModel))
	web.Handle(m, spec.AskLegacyAgent, web.Refuse[api.LegacyAgentResponse](web.NeedsModel))

	web.Handle(m, spec.ListAgentThreads, func(context.Context, *web.Request[web.None]) (api.AgentThreadList, error) {
		return api.AgentThreadList{Threads: []api.AgentThread{}}, nil
	})
	web.Handle(m, spec.GetAgentThread, noThread[web.None, api.AgentThreadState])
	web.Handle(m, spec.RenameAgentThread, noThread[api.AgentThreadUpdateRequest, web.None])
	web.Handle(m, spec.DeleteAgentThread, noThread[web.None, web.None])
	web.Handle(m, spec.GetLegacyChatHistory, func(context.Context, *web.Request[web.None]) (api.LegacyChatHistory,
		error) {
		return api.LegacyChatHistory{History: []api.LegacyChatRecord{}}, nil
	})
	web.Handle(m, spec.RenameLegacyChat, noThread[api.LegacyChatRename, api.LegacyChatHistory])
	web.Handle(m, spec.DeleteLegacyChat, noThread[web.None, api.LegacyChatHistory])
}

func noThread[B, T any](_ context.Context, r *web.Request[B]) (out T, err error) {
	return out, fault.Data(404, "there is no thread with id: %s", r.Param("threadId"))
}
