package gateway

import (
	"context"
	"io"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// What an operation of the agent would need. Zone local has no model, so no conversation can begin: those operations are
// refused. The lists of conversations are truly empty, and naming one is naming something that does not exist.
const (
	needsModel  = "a language model"
	needsStudio = "the hosted web studio"
)

func (g *Gateway) agentRoutes(m *webService) {
	handle(m, spec.AgentChat, refuse[api.AgentChatResult](needsModel))
	handle(m, spec.AgentChatStream, refuse[Stream](needsModel))
	handle(m, spec.GetAgentWorkflowImage, refuse[Stream](needsModel)) // the picture is of the steps of the model's agent
	handle(m, spec.AskLegacyAgent, refuse[api.LegacyAgentResponse](needsModel))

	handle(m, spec.ListAgentThreads, func(context.Context, *Request[None]) (api.AgentThreadList, error) {
		return api.AgentThreadList{Threads: []api.AgentThread{}}, nil
	})
	handle(m, spec.GetAgentThread, noThread[None, api.AgentThreadState])
	handle(m, spec.RenameAgentThread, noThread[api.AgentThreadUpdateRequest, None])
	handle(m, spec.DeleteAgentThread, noThread[None, None])
	handle(m, spec.GetLegacyChatHistory, func(context.Context, *Request[None]) (api.LegacyChatHistory, error) {
		return api.LegacyChatHistory{History: []api.LegacyChatRecord{}}, nil
	})
	handle(m, spec.RenameLegacyChat, noThread[api.LegacyChatRename, api.LegacyChatHistory])
	handle(m, spec.DeleteLegacyChat, noThread[None, api.LegacyChatHistory])
}

// refuse is the handler of an operation that zone local cannot do. The body is not read: what it holds makes no difference.
func refuse[T any](needs string) func(context.Context, *Request[io.Reader]) (T, error) {
	return func(_ context.Context, r *Request[io.Reader]) (out T, err error) {
		return out, notSupported(r.Op.ID, needs)
	}
}

func noThread[B, T any](_ context.Context, r *Request[B]) (out T, err error) {
	return out, dataFault(404, "there is no thread with id: %s", r.Param("threadId"))
}
