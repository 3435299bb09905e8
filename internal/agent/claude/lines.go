package claude

import (
	"encoding/json"
	"time"
)

// initLine is system/init, the first line of every run.
type initLine struct {
	SessionID string   `json:"session_id"`
	Dir       string   `json:"cwd"`
	Tools     []string `json:"tools"`
	Mode      string   `json:"permissionMode"`
	Model     string   `json:"model"`
	Version   string   `json:"claude_code_version"`
}

// resultLine is the last line of a run.
type resultLine struct {
	Subtype    string                `json:"subtype"`
	IsError    bool                  `json:"is_error"`
	Result     string                `json:"result"`
	Errors     []string              `json:"errors"`
	Terminal   string                `json:"terminal_reason"`
	StopReason string                `json:"stop_reason"`
	Status     int                   `json:"api_error_status"`
	ErrorType  string                `json:"api_error_type"`
	APIError   string                `json:"api_error"`
	Turns      int                   `json:"num_turns"`
	Cost       float64               `json:"total_cost_usd"`
	Models     map[string]modelUsage `json:"modelUsage"`
}

type modelUsage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheCreationInputTokens"`
}

// limitInfo is the content of a rate_limit_event. ResetsAt is in seconds since 1970, 0 if missing.
type limitInfo struct {
	Status   string `json:"status"`
	ResetsAt int64  `json:"resetsAt"`
	Type     string `json:"rateLimitType"`
}

func (l limitInfo) reset() time.Time {
	if l.ResetsAt <= 0 {
		return time.Time{}
	}
	return time.Unix(l.ResetsAt, 0).UTC()
}

// apiProblem is an API error. Only synthetic messages contain it.
type apiProblem struct{ kind, text string }

// controlLine is a request of the binary to us.
type controlLine struct {
	ID      string `json:"request_id"`
	Request struct {
		Subtype  string          `json:"subtype"`
		Tool     string          `json:"tool_name"`
		Callback string          `json:"callback_id"`
		CallID   string          `json:"tool_use_id"`
		Event    json.RawMessage `json:"input"` // a hookEvent for hook_callback, otherwise the tool's input
	} `json:"request"`
}

// event decodes the input of a hook.
func (c *controlLine) event() (e hookEvent, ok bool) {
	return e, json.Unmarshal(c.Request.Event, &e) == nil
}

type hookEvent struct {
	Name   string          `json:"hook_event_name"`
	Tool   string          `json:"tool_name"`
	Input  json.RawMessage `json:"tool_input"`
	CallID string          `json:"tool_use_id"`
	Sub    string          `json:"agent_id"` // missing outside of sub-agents
	Dir    string          `json:"cwd"`
	Mode   string          `json:"permission_mode"`
}

type responseLine struct {
	Response struct {
		Subtype string `json:"subtype"`
		ID      string `json:"request_id"`
		Error   string `json:"error"`
	} `json:"response"`
}
