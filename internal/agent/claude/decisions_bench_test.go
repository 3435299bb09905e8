package claude

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

// BenchmarkCall measures a tool call from the model's word to its result, with the decision given at once, and the part of it that
// both questions take until Permit is asked.
func BenchmarkCall(b *testing.B) {
	const calls = 100
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept.txt"), []byte("kept"), 0o600); err != nil {
		b.Fatal(err)
	}
	var turns []agenttest.Turn
	for range calls {
		turns = append(turns, agenttest.Turn{Tools: []agenttest.Tool{call("Read", "file_path", filepath.Join(dir, "kept.txt"))}})
	}
	model := agenttest.NewServer(b, agenttest.Script{Rules: []agenttest.Rule{{Role: task.Implementer, Turns: append(turns, agenttest.Turn{Text: "Done."})}}})
	d := New(Config{Config: program.Config{Binary: agenttest.ClaudeBinary(b)}})
	b.Cleanup(func() { d.Close() })
	var whole, asked []float64
	for b.Loop() {
		var said time.Time
		s := agent.Session{ID: uuid.NewString(), Role: task.Implementer, Dir: dir, StateDir: b.TempDir(), System: "Role: implementer\n", Prompt: "p", Model: "opus",
			Endpoint: agent.Endpoint{BaseURL: model.URL, Token: "t"}}
		s.Permit = func(context.Context, agent.Call) agent.Decision {
			asked = append(asked, time.Since(said).Seconds()*1e3)
			return agent.Decision{Allow: true}
		}
		if o, err := d.Run(context.Background(), s, func(e agent.Event) {
			switch e.Kind {
			case agent.ToolCall:
				said = e.Time
			case agent.ToolResult:
				whole = append(whole, e.Time.Sub(said).Seconds()*1e3)
			}
		}); err != nil || o.Kind != agent.Completed || len(asked) == 0 {
			b.Fatalf("outcome %+v, error %v", o, err)
		}
	}
	slices.Sort(whole)
	slices.Sort(asked)
	b.ReportMetric(whole[len(whole)/2], "ms-per-call")
	b.ReportMetric(whole[len(whole)*9/10], "ms-per-call-p90")
	b.ReportMetric(asked[len(asked)/2], "ms-to-permit")
}
