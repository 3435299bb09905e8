package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// asks makes an enforcer that asks put.
func asks(t *testing.T, put func(context.Context, signals.Question) (signals.Answer, error)) *enforcer {
	t.Helper()
	b := newBench(t, nil)
	b.prepare()
	b.Ask = put
	b.start()
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	w, err := b.enforcers.of(b.session(task.Implementer, task.AgentClaude), tree.Dir(), "/home/agent")
	must(t, err)
	return w
}

func bash(w *enforcer, command, note string) agent.Call {
	input, _ := json.Marshal(map[string]string{"command": command, "description": note})
	return agent.Call{Tool: "Bash", ID: "call-" + note, Dir: w.root, Input: input}
}

// A session that repeats its questions must not use up the updates of its workflow: people answer by updates too. A yes to one run holds
// for that run only.
func TestAnAnswerThatStandsIsAskedForOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer signals.Answer
		puts   int
	}{
		"no":                {signals.Answer{Verdict: signals.No, By: "maria", Note: "never"}, 1},
		"nobody's no":       {signals.Answer{Verdict: signals.No, By: "nobody", Unanswered: true, Expires: time.Now().Add(time.Hour)}, 4},
		"yes":               {signals.Answer{Verdict: signals.Yes, By: "maria", Expires: time.Now().Add(time.Hour)}, 4},
		"yes, for the task": {signals.Answer{Verdict: signals.Yes, By: "maria", ForTask: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			put := 0
			w := asks(t, func(context.Context, signals.Question) (signals.Answer, error) { put++; return tt.answer, nil })
			for i := range 4 {
				d := w.permit(t.Context(), bash(w, "terraform plan", fmt.Sprint(i)))
				if d.Allow != (tt.answer.Verdict == signals.Yes) || strings.Contains(d.Reason, "a person has refused it") != (name == "no") {
					t.Fatalf("call %d: %+v", i, d)
				}
			}
			if put != tt.puts {
				t.Errorf("people were asked %d times, want %d", put, tt.puts)
			}
			if w.permit(t.Context(), bash(w, "terraform plan -out x", "other")); put != tt.puts+1 {
				t.Errorf("people were asked %d times in all, want %d: it is another command", put, tt.puts+1)
			}
		})
	}
}

// Sub-agents that all begin with the same call repeat nothing. One that does ends the session.
func TestLoopsAreOfOneConversation(t *testing.T) {
	t.Parallel()
	w := asks(t, nil)
	list := func(sub, id string) agent.Decision {
		c := bash(w, "ls", id)
		c.Sub = sub
		return w.permit(t.Context(), c)
	}
	for i := range 10 {
		if d := list(fmt.Sprint("sub-", i), fmt.Sprint(i)); !d.Allow || d.Reason != "" {
			t.Errorf("sub-agent %d: %+v", i, d)
		}
	}
	var last agent.Decision
	for i := range 4 {
		last = list("sub-0", fmt.Sprint("again-", i))
	}
	if last.End != agent.Looped {
		t.Errorf("the fifth equal call of one sub-agent: %+v", last)
	}
}

// A question without an answer is asked again.
func TestNoAnswerIsNotKept(t *testing.T) {
	t.Parallel()
	put := 0
	w := asks(t, func(context.Context, signals.Question) (signals.Answer, error) {
		put++
		return signals.Answer{Verdict: signals.Later}, nil
	})
	for i := range 2 {
		if d := w.permit(t.Context(), bash(w, "terraform plan", fmt.Sprint(i))); d.Allow || d.End != agent.NeedsApproval {
			t.Errorf("got %+v", d)
		}
	}
	if put != 2 {
		t.Errorf("asked %d times", put)
	}
}

// Simultaneous calls leave room for the answers, and end with the session.
func TestQuestionsOnTheirWayAreBounded(t *testing.T) {
	t.Parallel()
	var open, most atomic.Int32
	full := make(chan struct{}, 100)
	w := asks(t, func(ctx context.Context, _ signals.Question) (signals.Answer, error) {
		n := open.Add(1)
		defer open.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		full <- struct{}{}
		<-ctx.Done()
		return signals.Answer{}, ctx.Err()
	})
	ctx, end := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if d := w.permit(ctx, bash(w, fmt.Sprintf("terraform plan %d", i), fmt.Sprint(i))); d.Allow {
				t.Errorf("call %d was let through", i)
			}
		})
	}
	for range mostAsking {
		await(t, full, "a question")
	}
	end()
	wg.Wait()
	if n := most.Load(); n != mostAsking {
		t.Errorf("%d questions were on their way at one time, want %d", n, mostAsking)
	}
}

// An approval holds for every byte of a command, so nobody is asked about one that can't be shown in full.
func TestWhatPeopleCanNotSeeIsNotAsked(t *testing.T) {
	t.Parallel()
	var got []signals.Question
	w := asks(t, func(_ context.Context, q signals.Question) (signals.Answer, error) {
		got = append(got, q)
		return signals.Answer{Verdict: signals.Yes, Expires: time.Now().Add(time.Hour)}, nil
	})
	hidden := "terraform plan " + strings.Repeat("x", mostShown) + " evil"
	if d := w.permit(t.Context(), bash(w, hidden, "")); d.Allow || !strings.Contains(d.Reason, "too long") {
		t.Errorf("got %+v", d)
	}
	whole := "terraform plan " + strings.Repeat("x", mostShown-100) + " end"
	if d := w.permit(t.Context(), bash(w, whole, "")); !d.Allow {
		t.Errorf("got %+v", d)
	}
	if len(got) != 1 || got[0].Command != whole {
		t.Errorf("asked %.80v", got)
	}
	c := bash(w, "terraform plan", "")
	c.Dir = w.root + "/a\x1b[2Jb\n" + secret
	if q, hurdle := w.question(t.Context(), c, w.judge(c)); hurdle == "" {
		t.Errorf("a folder in which something is hidden is put to a person: %+v", q)
	}
	c.Dir = w.root + "/a\x1b[2Jb\n"
	if q, _ := w.question(t.Context(), c, w.judge(c)); q.Dir != `a\u{1b}[2Jb⏎` {
		t.Errorf("the folder is shown as %q", q.Dir)
	}
}

// Policy knows the home of a session: a command that names a secret file there is denied, and nobody is asked.
func TestHomeIsKnown(t *testing.T) {
	t.Parallel()
	w := asks(t, func(_ context.Context, q signals.Question) (signals.Answer, error) {
		t.Errorf("a person was asked about %q", q.Command)
		return signals.Answer{Verdict: signals.No}, nil
	})
	for _, command := range []string{"cat ~/.ssh/id_rsa", "cat $HOME/.aws/credentials", "echo x >> ~/.bashrc"} {
		if d := w.permit(t.Context(), bash(w, command, "")); d.Allow || d.End != "" {
			t.Errorf("%s: %+v", command, d)
		}
	}
}

// Nobody is asked about a command in which the redactor hides something: people must not allow what they can't see.
func TestWhatIsHiddenIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	var asked []string
	w := asks(t, func(_ context.Context, q signals.Question) (signals.Answer, error) {
		asked = append(asked, q.Command)
		return signals.Answer{Verdict: signals.Yes, By: "maria", Expires: time.Now().Add(time.Hour)}, nil
	})
	for i, command := range []string{
		"terraform plan -var=u=x://a:;terraform-destroy;@b", "terraform plan x://a:&&destroy-everything&&:@b", "terraform plan x://a:|sh;:@b",
		"terraform plan x://a:[hidden];terraform-destroy;:@b",
		"terraform plan x://a:" + strings.Repeat(";reboot", 500) + ";:@b",
	} {
		if d := w.permit(t.Context(), bash(w, command, fmt.Sprint(i))); d.Allow {
			t.Errorf("%.80q may run", command)
		}
	}
	if d := w.permit(t.Context(), bash(w, "terraform plan -var=x=[hidden]", "plain")); !d.Allow || len(asked) != 1 {
		t.Errorf("a plain one: %+v; asked about %q", d, asked)
	}
}
