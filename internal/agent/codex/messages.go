package codex

import (
	"encoding/json"
	"time"
)

// opened is the answer to thread/start and thread/resume: the conversation, and the rules that hold in it.
type opened struct {
	Approval json.RawMessage `json:"approvalPolicy"` // a string, or an object for the granular policy
	Reviewer string          `json:"approvalsReviewer"`
	Provider string          `json:"modelProvider"`
	Sandbox  struct {
		Type string `json:"type"`
	} `json:"sandbox"`
	Thread struct {
		ID string `json:"id"`
	} `json:"thread"`
}

// settings is the part of thread/settings/updated that must not change.
type settings struct {
	Settings struct {
		Approval json.RawMessage `json:"approvalPolicy"`
		Reviewer string          `json:"approvalsReviewer"`
		Sandbox  struct {
			Type string `json:"type"`
		} `json:"sandboxPolicy"`
	} `json:"threadSettings"`
}

// turn is one run of the model until it stops calling tools.
type turn struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Error  *problem `json:"error"`
}

// problem is an error of a turn. Info is a name, or an object with a name and an HTTP status.
type problem struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codexErrorInfo"`
}

// item is one thing in a turn: a message, or a call of a tool. Which fields are set depends on Type.
type item struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Status string `json:"status"`

	Text    string          `json:"text"`    // agentMessage
	Summary []string        `json:"summary"` // reasoning
	Content json.RawMessage `json:"content"` // reasoning: texts; userMessage: its parts

	Command  string  `json:"command"` // commandExecution, with its shell
	Dir      string  `json:"cwd"`
	Source   string  `json:"source"`
	Process  *string `json:"processId"` // set once it runs
	Output   *string `json:"aggregatedOutput"`
	ExitCode *int    `json:"exitCode"`

	Changes []change `json:"changes"` // fileChange

	Server    string          `json:"server"` // mcpToolCall
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`

	Path string `json:"path"` // imageView
}

// change is what a patch does with one file. Diff is the whole text of a file that is added or deleted.
type change struct {
	Path string `json:"path"`
	Diff string `json:"diff"`
	Kind struct {
		Type string  `json:"type"` // add, delete or update
		Move *string `json:"move_path"`
	} `json:"kind"`
}

// approval is a request to approve a command or a patch. The fields that grant more than one call are not accepted.
type approval struct {
	Turn       string          `json:"turnId"`
	Item       string          `json:"itemId"`
	Kind       string          `json:"kind"` // of a command; "" in older versions
	ApprovalID *string         `json:"approvalId"`
	Command    string          `json:"command"` // "" for a patch, as in its item
	Dir        string          `json:"cwd"`
	More       json.RawMessage `json:"additionalPermissions"`
	Network    json.RawMessage `json:"networkApprovalContext"`
	Root       *string         `json:"grantRoot"` // of a patch
}

// elicitation asks a person. One with the kind mcp_tool_call asks to approve a call of a server's tool.
type elicitation struct {
	Server string `json:"serverName"`
	Meta   struct {
		Kind   string          `json:"codex_approval_kind"`
		Tool   string          `json:"tool_name"`
		Params json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
}

// tokens are counted by the binary over the whole conversation. Input includes what was read from and written to the cache.
type tokens struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
}

// window is a quota of the account: how much of it is used, and when it begins anew, in seconds since 1970.
type window struct {
	Used     int    `json:"usedPercent"`
	ResetsAt *int64 `json:"resetsAt"`
}

func (w *window) reset() time.Time {
	if w == nil || w.ResetsAt == nil || *w.ResetsAt <= 0 {
		return time.Time{}
	}
	return time.Unix(*w.ResetsAt, 0).UTC()
}
