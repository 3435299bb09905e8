package claude

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

func TestWarm(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Warm."}))
	if err := b.Warm(t.Context(), b.session); err != nil {
		t.Fatal(err)
	}
	warm := b.warm[b.session.ID]
	if err := b.Warm(t.Context(), b.session); err != nil || b.warm[b.session.ID] != warm {
		t.Errorf("warmed twice: %v", err)
	}
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Resumed {
		t.Errorf("outcome: %+v", o)
	}
	if running(warm) || len(b.warm) != 0 {
		t.Error("the process that waited was not taken")
	}
}

// TestWarmForSomethingElse changes the session between Warm and Run.
func TestWarmForSomethingElse(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Cold."}))
	if err := b.Warm(t.Context(), b.session); err != nil {
		t.Fatal(err)
	}
	warm := b.warm[b.session.ID]
	b.session.System += "One more thing.\n"
	o, _ := b.run(t)
	if o.Kind != agent.Completed || running(warm) {
		t.Errorf("outcome %+v, the process that waited runs: %v", o, running(warm))
	}
	if c := b.model.Calls()[0]; !strings.Contains(c.System, "One more thing.") {
		t.Error("the process that waited was used")
	}
}

func TestWarmEnds(t *testing.T) {
	for name, end := range map[string]func(b *bench){
		"close":  func(b *bench) { b.Close() },
		"cool":   func(b *bench) { b.Cool(b.session.ID) },
		"by age": func(*bench) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Never."}))
			if name == "by age" {
				b.cfg.WarmTime = 50 * time.Millisecond
			}
			if err := b.Warm(t.Context(), b.session); err != nil {
				t.Fatal(err)
			}
			b.mu.Lock()
			warm := b.warm[b.session.ID]
			b.mu.Unlock()
			end(b)
			if warm != nil {
				<-warm.Done()
			}
			if left := agenttest.Processes(t, b.session.ID); left != nil && name != "by age" {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestWarmDies kills the process that waits; the run starts another.
func TestWarmDies(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Fresh."}))
	if err := b.Warm(t.Context(), b.session); err != nil {
		t.Fatal(err)
	}
	warm := b.warm[b.session.ID]
	syscall.Kill(warm.Pid(), syscall.SIGKILL)
	<-warm.Done()
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Fresh." {
		t.Errorf("outcome: %+v", o)
	}
}
