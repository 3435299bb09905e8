package claude

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/task"
)

// BenchmarkFirstAnswer measures from Run to the first words of an instant model, and to the end of the run, with the process
// started ahead or not, with the tools to report by or without. What a warm process does in advance takes place while git and checks run,
// here a second.
func BenchmarkFirstAnswer(b *testing.B) {
	model := agenttest.NewServer(b, agenttest.Script{Rules: []agenttest.Rule{{Role: task.Implementer, Turns: []agenttest.Turn{{Text: "Hello."}}}}})
	d := New(Config{Config: program.Config{Binary: agenttest.ClaudeBinary(b)}})
	b.Cleanup(func() { d.Close() })
	for name, c := range map[string]struct{ warm, reports, cleared bool }{
		"cold": {}, "cold with tools": {reports: true}, "warm": {warm: true}, "warm with tools": {warm: true, reports: true}, "cleared": {cleared: true},
	} {
		b.Run(name, func(b *testing.B) {
			var first, total time.Duration
			var kept agent.Session
			for b.Loop() {
				s := agent.Session{ID: uuid.NewString(), Role: task.Implementer, Dir: b.TempDir(), StateDir: b.TempDir(), System: "Role: implementer\n",
					Prompt: "p", Model: "opus", Endpoint: agent.Endpoint{BaseURL: model.URL, Token: "t"}}
				if c.reports {
					r := agenttest.Reports(b, s.Role)
					s.Reports = r.Endpoint()
				}
				if c.warm {
					if err := d.Warm(context.Background(), s); err != nil {
						b.Fatal(err)
					}
					<-time.After(time.Second)
				}
				if s.Keep = c.cleared; c.cleared {
					kept = goOn(b, d, kept, &s)
				}
				start := time.Now()
				o, err := d.Run(context.Background(), s, func(e agent.Event) {
					if e.Kind == agent.Text {
						first += time.Since(start)
					}
				})
				if err != nil || o.Kind != agent.Completed {
					b.Fatalf("outcome %+v, error %v", o, err)
				}
				total += time.Since(start)
			}
			b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms-to-first-words")
			b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-to-end")
		})
	}
}

// goOn has the session go on with the process of the one before, or of a session that it runs first.
func goOn(b *testing.B, d *Driver, before agent.Session, s *agent.Session) agent.Session {
	b.Helper()
	d.mu.Lock()
	waits := d.kept[before.ID] != nil
	d.mu.Unlock()
	if !waits {
		before = *s
		before.ID = uuid.NewString()
		if o, err := d.Run(context.Background(), before, func(agent.Event) {}); err != nil || !o.Kept {
			b.Fatalf("outcome %+v, error %v", o, err)
		}
	}
	s.Dir, s.StateDir = before.Dir, before.StateDir
	if err := d.Clear(context.Background(), before.ID, *s); err != nil {
		b.Fatal(err)
	}
	return *s
}
