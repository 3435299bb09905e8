package agenttest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// field gives a text field of a call's input.
func field(t *testing.T, c agent.Call, name string) string {
	t.Helper()
	var in map[string]any
	if err := json.Unmarshal(c.Input, &in); err != nil {
		t.Errorf("the input of %s: %v", c.Tool, err)
	}
	s, _ := in[name].(string)
	return s
}

func absent(t *testing.T, f Fixture, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(f.Session.Dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

func denied(events []agent.Event) []agent.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e agent.Event) bool { return e.Kind != agent.Denied })
}

func asksOnce(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Write: &File{"a.txt", "one\n"}},
		Step{Command: "ls"}, Step{Command: "cat a.txt > b.txt"}, Step{Command: "ls"}, Step{Say: "Done."})
	var asked Record
	f.Session.Permit = asked.Of(f.Session.Permit)
	o, events := f.run(t.Context(), t)
	if o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	calls := asked.Calls()
	var tools []string
	var ids []string
	for _, c := range calls {
		tools, ids = append(tools, c.Tool), append(ids, c.ID)
		if c.Tool == "Bash" && c.Dir != f.Session.Dir {
			t.Errorf("a command would run in %q", c.Dir)
		}
	}
	if !slices.Equal(tools, []string{"Write", "Bash", "Bash", "Bash"}) {
		t.Fatalf("it asked about %q", tools)
	}
	if file := field(t, calls[0], "file_path"); filepath.Base(file) != "a.txt" {
		t.Errorf("the file's path is %q", file)
	}
	if command := field(t, calls[1], "command"); command != "ls" {
		t.Errorf("the command is %q", command)
	}
	var told []string
	for _, e := range events {
		if e.Kind == agent.ToolCall {
			told = append(told, e.ID)
		}
	}
	if !slices.Equal(ids, told) || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		t.Errorf("it asked about %q, and told of %q", ids, told)
	}
}

func refuses(t *testing.T, make Factory) {
	f := make(t, task.Implementer,
		Step{Write: &File{"a.txt", "x"}}, Step{Command: "touch b.txt"}, Step{Command: "touch c.txt"}, Step{Say: "So be it."})
	f.Session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		return agent.Decision{Allow: strings.Contains(string(c.Input), "c.txt"), Reason: "take c.txt"}
	}
	o, events := f.run(t.Context(), t)
	if o.Kind != agent.Completed || o.Text != "So be it." {
		t.Errorf("outcome: %+v", o)
	}
	absent(t, f, "a.txt", "b.txt")
	if _, err := os.Stat(filepath.Join(f.Session.Dir, "c.txt")); err != nil {
		t.Errorf("the call that was allowed: %v", err)
	}
	no := denied(events)
	if len(no) != 2 || no[0].Tool != "Write" || no[1].Tool != "Bash" || no[0].Text != "take c.txt" {
		t.Errorf("refusals that were told: %+v", no)
	}
	for _, e := range events {
		refused := slices.ContainsFunc(no, func(d agent.Event) bool { return d.ID == e.ID })
		if e.Kind == agent.ToolResult && refused != (e.Failed && strings.Contains(e.Text, "take c.txt")) {
			t.Errorf("result: %+v", e)
		}
	}
}

func needsPermit(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Write: &File{"a.txt", "x"}}, Step{Command: "touch b.txt"}, Step{Say: "Nothing."})
	f.Session.Permit = nil
	if o, events := f.run(t.Context(), t); o.Kind != agent.Completed || len(denied(events)) != 2 {
		t.Errorf("outcome %+v, refusals %+v", o, denied(events))
	}
	absent(t, f, "a.txt", "b.txt")
}

func waitsForAnswer(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Command: "touch a.txt"}, Step{Say: "Never said."})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.Session.Permit = func(ctx context.Context, _ agent.Call) agent.Decision {
		cancel()
		<-ctx.Done()
		return agent.Decision{Allow: true} // too late
	}
	if o, events := f.run(ctx, t); o.Kind != agent.Interrupted || texts(events) != nil {
		t.Errorf("outcome %+v, it said %q", o, texts(events))
	}
	absent(t, f, "a.txt")
}

func waitsInVain(t *testing.T, make Factory) {
	for _, wall := range []time.Duration{2 * time.Second, 5 * time.Second, 20 * time.Second, time.Minute} { // the longer ones where an agent takes longer to start
		f := make(t, task.Implementer, Step{Command: "touch a.txt"}, Step{Say: "Never said."})
		f.Session.Wall = wall
		var asked atomic.Bool
		f.Session.Permit = func(ctx context.Context, _ agent.Call) agent.Decision {
			asked.Store(true)
			<-ctx.Done()
			return agent.Decision{Allow: true}
		}
		o, _ := f.run(t.Context(), t)
		absent(t, f, "a.txt")
		if o.Kind != agent.Turns {
			t.Errorf("outcome %+v, asked: %v", o, asked.Load())
		}
		if asked.Load() {
			return
		}
	}
	t.Error("it was never asked")
}
