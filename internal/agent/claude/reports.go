package claude

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// servers names the server that the session reports to, in the binary's format. The file keeps the token out of the command line. With
// alwaysLoad the model sees the tools from the start, and does not have to search for them.
func servers(s agent.Session) string {
	if s.Reports == nil {
		return ""
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{s.Reports.Server: map[string]any{ // strings always marshal
		"type": "http", "url": s.Reports.URL, "alwaysLoad": true,
		"headers": map[string]string{"Authorization": "Bearer " + s.Reports.Token},
	}}})
	return string(text)
}

// reportTools are the names of the tools to report by, as the binary has them.
func reportTools(s agent.Session) (names []string) {
	if s.Reports == nil {
		return nil
	}
	for _, t := range s.Reports.Tools {
		names = append(names, "mcp__"+s.Reports.Server+"__"+t)
	}
	return names
}

// connectTime is how long the binary may take to connect to the server that it reports to. It takes milliseconds.
const connectTime = 20 * time.Second

// begin sends the prompt, once the binary has listed the tools to report by: without them it would work and be unable to report.
func (a *attempt) begin(ctx context.Context) {
	if r := a.s.Reports; r != nil {
		ctx, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		if err := r.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
			a.unconnected.Store(&err)
			a.end()
			return
		} else if err != nil { // the binary has ended, or the session is stopped
			return
		}
	}
	a.in.write(a.prompt)
}

// connected returns a fault when the binary could not list the tools to report by.
func (a *attempt) connected(ctx context.Context) error {
	if err := a.unconnected.Load(); err != nil && ctx.Err() == nil {
		return fault.New(fault.Infra, "claude does not connect to the server that it reports to: %w", *err)
	}
	return nil
}

// finished tells whether the agent has reported the end of the session.
func (a *attempt) finished() bool { return a.s.Reports != nil && a.s.Reports.Ended() }

// afterReport ends the session after the report that is its last. The binary makes no further model call then.
func (a *attempt) afterReport() map[string]any {
	if !a.finished() {
		return map[string]any{}
	}
	a.windUp()
	return map[string]any{"continue": false, "stopReason": "the session has reported its end"}
}
