package acp

import (
	"context"
	"encoding/base64"
)

// About is what an agent says of itself.
type About struct {
	Info struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Can struct {
		MCP struct {
			HTTP bool `json:"http"`
		} `json:"mcpCapabilities"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		Session struct {
			Resume map[string]any `json:"resume"` // not nil if it can
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
}

// Initialize introduces us.
func (c *Client) Initialize(ctx context.Context, name, version string) (About, error) {
	var a About
	err := c.call(ctx, "initialize", map[string]any{
		"protocolVersion":    protocol,
		"clientInfo":         map[string]any{"name": name, "version": version},
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	}, &a)
	return a, err
}

// Server is a server of the Model Context Protocol, reached by HTTP.
type Server struct{ Name, URL, Token string }

// params are what opening and resuming a session have in common.
func params(dir string, servers []Server) map[string]any {
	list := []any{} // null is no list to agents
	for _, s := range servers {
		headers := []any{map[string]any{"name": "Authorization", "value": "Bearer " + s.Token}}
		list = append(list, map[string]any{"type": "http", "name": s.Name, "url": s.URL, "headers": headers})
	}
	return map[string]any{"cwd": dir, "mcpServers": list}
}

// Open begins a session in a folder and returns its id.
func (c *Client) Open(ctx context.Context, dir string, servers ...Server) (id string, err error) {
	var r struct {
		ID string `json:"sessionId"`
	}
	err = c.call(ctx, "session/new", params(dir, servers), &r)
	return r.ID, err
}

// Resume goes on with an earlier session. What was said in it is not told again.
func (c *Client) Resume(ctx context.Context, id, dir string, servers ...Server) error {
	p := params(dir, servers)
	p["sessionId"] = id
	return c.call(ctx, "session/resume", p, nil)
}

// Part is a part of a prompt: a text, or an image with its media type.
type Part struct {
	Text string
	Type string
	Data []byte
}

func (p Part) message() map[string]any {
	if p.Type == "" {
		return map[string]any{"type": "text", "text": p.Text}
	}
	return map[string]any{"type": "image", "mimeType": p.Type, "data": base64.StdEncoding.EncodeToString(p.Data)}
}

// Stop is how a turn has ended. Usage counts tokens, as far as the agent tells.
type Stop struct {
	Reason string `json:"stopReason"` // end_turn, max_tokens, max_turn_requests, refusal or cancelled
	Usage  struct {
		Input      int64 `json:"inputTokens"`
		Output     int64 `json:"outputTokens"`
		CacheRead  int64 `json:"cachedReadTokens"`
		CacheWrite int64 `json:"cachedWriteTokens"`
	} `json:"usage"`
}

// Prompt sends a turn of the user and waits until the agent has finished. It may be called while another one runs: agents that queue turns
// answer both at their end.
func (c *Client) Prompt(ctx context.Context, session string, parts ...Part) (Stop, error) {
	list := make([]any, 0, len(parts))
	for _, p := range parts {
		list = append(list, p.message())
	}
	var s Stop
	err := c.call(ctx, "session/prompt", map[string]any{"sessionId": session, "prompt": list}, &s)
	return s, err
}

// Cancel has the agent end its turn. Its prompt is answered then.
func (c *Client) Cancel(session string) {
	c.conn.Notify("session/cancel", map[string]any{"sessionId": session})
}
