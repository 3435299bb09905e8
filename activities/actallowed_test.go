package activities

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// person allows what a session asks, once each time. As in the workflow of a task, an answer comes with a later ask, and is used up by it.
type person struct {
	asked   map[string]int // how often, by the text
	allowed map[string]bool
	open    []signals.Question
}

func (p *person) answer(q signals.Question) signals.Answer {
	if p.allowed[q.ID] {
		delete(p.allowed, q.ID)
		return signals.Answer{Verdict: signals.Yes, By: "ann", Expires: time.Now().Add(time.Hour)}
	}
	p.asked[q.Command]++
	p.open = append(p.open, q)
	return signals.Answer{Verdict: signals.Later}
}

// allows gives the answers, as people do while the session waits.
func (p *person) allows() {
	for _, q := range p.open {
		p.allowed[q.ID] = true
	}
	p.open = nil
}

// TestNativeAllowedOnce: people are asked once about each thing that a call does, also when the call has to come again before it begins.
func TestNativeAllowedOnce(t *testing.T) {
	const patch = `{"patch":"--- /dev/null\n+++ b/.vscode/tasks.json\n@@ -0,0 +1 @@\n+{}\n--- /dev/null\n+++ b/AGENTS.md\n@@ -0,0 +1 @@\n+x\n` +
		`--- /dev/null\n+++ b/.github/workflows/ci.yml\n@@ -0,0 +1 @@\n+x\n"}`
	for name, c := range map[string]struct {
		call      transcript.Call
		questions int
		fails     bool // to be started, once
		made      string
	}{
		"three files":                {calling("apply_patch", patch), 3, false, "/AGENTS.md"},
		"a command that can't start": {calling("run_command", `{"command":"touch ran.txt"}`), 1, true, "/ran.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.prepare()
			box := &failingOnce{Box: b.Confine.Box}
			b.Confine.Box = box
			r := b.begins(task.Implementer, []transcript.Call{c.call})
			r.in.Commands.Questions, r.in.Commands.Ask = task.QuestionsPerson, []string{"touch"}
			people := &person{asked: map[string]int{}, allowed: map[string]bool{}}
			r.open()
			r.turn(0)
			box.fails.Store(c.fails)
			for range 9 {
				a := r.attempt()
				a.server.person = people.answer
				var out ActResult
				if err := a.run(r.host.Acts.RunTools, RunInput{Act: r.act(), Calls: 1}, &out); err != nil {
					if app := applicationError(t, err); !c.fails || app.Type() != string(fault.Infra) {
						t.Fatal(err)
					}
					continue
				}
				if r.head = out.Head; out.Kind == "" {
					break
				}
				must(t, r.attempt().run(r.host.Acts.EndSession, EndInput{Act: r.act(), Kind: out.Kind, Text: out.Text}, nil))
				if out.Kind != agent.NeedsApproval {
					t.Fatalf("%s: %s", out.Kind, out.Text)
				}
				people.allows()
				r.in.Ask++
				r.in.Head = r.head
				r.open()
			}
			if got := r.results(); len(got) != 1 || got[0].Failed || made(b.work()+c.made) == "" {
				t.Errorf("the call came to %+v", got)
			}
			for text, n := range people.asked {
				if n != 1 {
					t.Errorf("people were asked %d times: %s", n, text)
				}
			}
			if len(people.asked) != c.questions {
				t.Errorf("people were asked %d questions, want %d", len(people.asked), c.questions)
			}
		})
	}
}
