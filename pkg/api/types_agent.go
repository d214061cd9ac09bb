package api

import "encoding/json"

// AgentChatRequest is the body of a request.
type AgentChatRequest struct {
	Message   string `json:"message,omitempty"`
	ThreadID  string `json:"threadId,omitempty"`
	NoExecute *bool  `json:"noExecute,omitempty"`
}

// AgentChatResult is an object of the API.
type AgentChatResult struct {
	Result AgentChatResultResult `json:"result" reply:"must"`
}

// AgentChatResultResult is a part of AgentChatResult.
type AgentChatResultResult struct {
	Messages []AgentMessage `json:"messages" reply:"must"`
}

// AgentMessage is an object of the API.
type AgentMessage struct {
	Lc     int64              `json:"lc"`
	Type   string             `json:"type"`
	ID     []string           `json:"id"`
	Kwargs AgentMessageKwargs `json:"kwargs"`
}

// AgentMessageKwargs is a part of AgentMessage.
type AgentMessageKwargs struct {
	Content AgentContent `json:"content"`
}

// AgentContent is the content of a message: a string or, as raw JSON, blocks or a document.
type AgentContent string

// UnmarshalJSON accepts a string, or any other value as raw JSON.
func (c *AgentContent) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		text = string(raw)
	}
	*c = AgentContent(text)
	return nil
}

// UnmarshalJSON also accepts messages with a string as id, and those that contain their content directly.
func (m *AgentMessage) UnmarshalJSON(raw []byte) error {
	var w struct {
		Lc      json.RawMessage     `json:"lc"`
		Type    json.RawMessage     `json:"type"`
		ID      json.RawMessage     `json:"id"`
		Kwargs  *AgentMessageKwargs `json:"kwargs"`
		Content AgentContent        `json:"content"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	*m = AgentMessage{Kwargs: AgentMessageKwargs{Content: w.Content}}
	if w.Kwargs != nil {
		m.Kwargs = *w.Kwargs
	}
	_ = json.Unmarshal(w.Lc, &m.Lc) // values of another type are ignored
	_ = json.Unmarshal(w.Type, &m.Type)
	if json.Unmarshal(w.ID, &m.ID) != nil {
		m.ID = []string{jsonText(w.ID)}
	}
	return nil
}

// AgentChatStreamRequest is the body of a request.
type AgentChatStreamRequest struct {
	Message     string   `json:"message,omitempty"`
	ThreadID    string   `json:"threadId,omitempty"`
	NoExecute   *bool    `json:"noExecute,omitempty"`
	StreamModes []string `json:"streamModes,omitempty"`
}

// AgentThreadList is an object of the API.
type AgentThreadList struct {
	Threads []AgentThread `json:"threads"`
}

// AgentThread is an object of the API.
type AgentThread struct {
	ThreadID    string `json:"threadId" reply:"must"`
	DisplayName string `json:"displayName"`
	ProjectID   string `json:"projectId"`
}

// AgentThreadState is an object of the API.
type AgentThreadState struct {
	Result AgentThreadStateResult `json:"result" reply:"must"`
}

// AgentThreadStateResult is a part of AgentThreadState.
type AgentThreadStateResult struct {
	Values AgentThreadStateResultValues `json:"values" reply:"must"`
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

// LegacyAgentResponse is an object of the API.
type LegacyAgentResponse struct {
	Output   LegacyAgentOutput `json:"output" reply:"must"`
	ThreadID string            `json:"threadId"`
}

// LegacyAgentOutput is an object of the API.
type LegacyAgentOutput struct {
	Query string         `json:"query"`
	Text  string         `json:"text"`
	Data  [][]LegacyCell `json:"data"`
}

// LegacyCell is an object of the API.
type LegacyCell struct {
	Name     string          `json:"name"`
	DataType string          `json:"dataType"`
	Order    int64           `json:"order"`
	Value    json.RawMessage `json:"value"`
}

// LegacyChatHistory is an object of the API.
type LegacyChatHistory struct {
	History []LegacyChatRecord `json:"history" reply:"must"`
}

// LegacyChatRecord is an object of the API.
type LegacyChatRecord struct {
	ID          string           `json:"id"`
	AIThreadID  string           `json:"aiThreadId"`
	DisplayName string           `json:"displayName"`
	Tasks       []LegacyChatTask `json:"tasks"`
	Source      string           `json:"source"` // API_KEY
}

// LegacyChatTask is an object of the API.
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

// LegacyChatRename is an object of the API.
type LegacyChatRename struct {
	Name string `json:"name"`
}
