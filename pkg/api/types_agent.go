package api

import "encoding/json"

// AgentChatRequest is the body of a request.
type AgentChatRequest struct {
	Message   string `json:"message,omitempty"`
	ThreadID  string `json:"threadId,omitempty"`
	NoExecute *bool  `json:"noExecute,omitempty"`
}

// AgentChatResult is a record of the service.
type AgentChatResult struct {
	Result AgentChatResultResult `json:"result"`
}

// AgentChatResultResult is a part of AgentChatResult.
type AgentChatResultResult struct {
	Messages []AgentMessage `json:"messages"`
}

// AgentMessage is a record of the service.
type AgentMessage struct {
	Lc     int64              `json:"lc"`
	Type   string             `json:"type"`
	ID     []string           `json:"id"`
	Kwargs AgentMessageKwargs `json:"kwargs"`
}

// AgentMessageKwargs is a part of AgentMessage.
type AgentMessageKwargs struct {
	Content string `json:"content"`
}

// AgentChatStreamRequest is the body of a request.
type AgentChatStreamRequest struct {
	Message     string   `json:"message,omitempty"`
	ThreadID    string   `json:"threadId,omitempty"`
	NoExecute   *bool    `json:"noExecute,omitempty"`
	StreamModes []string `json:"streamModes,omitempty"`
}

// AgentThreadList is a record of the service.
type AgentThreadList struct {
	Threads []AgentThread `json:"threads"`
}

// AgentThread is a record of the service.
type AgentThread struct {
	ThreadID    string `json:"threadId"`
	DisplayName string `json:"displayName"`
	ProjectID   string `json:"projectId"`
}

// AgentThreadState is a record of the service.
type AgentThreadState struct {
	Result AgentThreadStateResult `json:"result"`
}

// AgentThreadStateResult is a part of AgentThreadState.
type AgentThreadStateResult struct {
	Values AgentThreadStateResultValues `json:"values"`
}

// AgentThreadStateResultValues is a part of AgentThreadState.
type AgentThreadStateResultValues struct {
	Messages []AgentMessage `json:"messages"`
}

// AgentThreadUpdateRequest is the body of a request.
type AgentThreadUpdateRequest struct {
	DisplayName string `json:"displayName,omitempty"`
}

// LegacyAgentRequest is the body of a request.
type LegacyAgentRequest struct {
	Message  string  `json:"message"`
	ThreadID *string `json:"threadId,omitempty"`
}

// LegacyAgentResponse is a record of the service.
type LegacyAgentResponse struct {
	Output   LegacyAgentOutput `json:"output"`
	ThreadID string            `json:"threadId"`
}

// LegacyAgentOutput is a record of the service.
type LegacyAgentOutput struct {
	Query string         `json:"query"`
	Text  string         `json:"text"`
	Data  [][]LegacyCell `json:"data"`
}

// LegacyCell is a record of the service.
type LegacyCell struct {
	Name     string          `json:"name"`
	DataType string          `json:"dataType"`
	Order    int64           `json:"order"`
	Value    json.RawMessage `json:"value"`
}

// LegacyChatHistory is a record of the service.
type LegacyChatHistory struct {
	History []LegacyChatRecord `json:"history"`
}

// LegacyChatRecord is a record of the service.
type LegacyChatRecord struct {
	ID          string           `json:"id"`
	AIThreadID  string           `json:"aiThreadId"`
	DisplayName string           `json:"displayName"`
	Tasks       []LegacyChatTask `json:"tasks"`
	Source      string           `json:"source"` // API_KEY
}

// LegacyChatTask is a record of the service.
type LegacyChatTask struct {
	Step        []LegacyChatTaskStep       `json:"step"`
	Output      *LegacyAgentOutput         `json:"output"`
	Message     string                     `json:"message"`
	ModelParams *LegacyChatTaskModelParams `json:"modelParams"`
}

// LegacyChatTaskStep is a part of LegacyChatTask.
type LegacyChatTaskStep struct {
	Action      LegacyChatTaskStepAction `json:"action"`
	Observation string                   `json:"observation"`
}

// LegacyChatTaskModelParams is a part of LegacyChatTask.
type LegacyChatTaskModelParams struct {
	ModelName   string  `json:"modelName"`
	Temperature float64 `json:"temperature"`
}

// LegacyChatTaskStepAction is a part of LegacyChatTask.
type LegacyChatTaskStepAction struct {
	Log       string `json:"log"`
	Tool      string `json:"tool"`
	ToolInput string `json:"toolInput"`
}

// LegacyChatRename is a record of the service.
type LegacyChatRename struct {
	Name string `json:"name"`
}
