package inbound

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// secret is the text that the redaction of the tests removes.
const secret = "hunter2secret"

// People of the tests.
const (
	starter   = "U1START"
	approver  = "U2APPROVE"
	commander = "U3COMMAND"
	boss      = "U4ALL"
	bound     = "U5BOUND"
	nobody    = "U9NOBODY"
)

// world is a Handler with a fake server under it.
type world struct {
	t       *testing.T
	server  *fakeServer
	config  Config
	handler *Handler

	mu     sync.Mutex
	clock  time.Time
	acts   []Act
	record func(Act) error // result of Record; nil is success
}

func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, server: newServer(t), clock: now}
	all := []string{boss}
	c := Config{
		Client: w.server, Namespace: "default", Repository: "acme/web", WebURL: "https://temporal.example.com/",
		People: map[string]People{channel.Slack: {Start: append([]string{starter}, all...), Approve: append([]string{approver}, all...),
			Commands: append([]string{commander}, all...)}},
		Record: func(_ context.Context, a Act) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.record != nil {
				if err := w.record(a); err != nil {
					return err
				}
			}
			w.acts = append(w.acts, a)
			return nil
		},
		Pause:  func(context.Context, time.Duration) error { return nil },
		Redact: func(s string) string { return strings.ReplaceAll(s, secret, "[hidden]") },
		Now: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.clock
		},
	}
	for _, f := range change {
		f(&c)
	}
	handler, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.config, w.handler = c, handler
	return w
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// handle handles an event without an error.
func (w *world) handle(ev channel.Event) channel.Answer {
	w.t.Helper()
	a, err := w.handler.Handle(context.Background(), ev)
	if err != nil {
		w.t.Fatalf("%q by %s: %v", ev.Text+ev.Token, ev.User.ID, err)
	}
	return a
}

// last is the newest line of the record.
func (w *world) last() Act {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.acts) == 0 {
		w.t.Fatal("nothing was recorded")
	}
	return w.acts[len(w.acts)-1]
}

// directory runs a Directory that binds some users.
func (w *world) directory(users ...string) *fakeWorkflow {
	return w.server.add(signals.DirectoryID, &fakeWorkflow{kind: signals.Directory, query: func(name string, _ []any) (any, error) {
		if name != signals.QueryBound {
			return nil, fmt.Errorf("query %s", name)
		}
		var all []signals.Binding
		for _, u := range users {
			all = append(all, signals.Binding{Channel: channel.Slack, User: u})
		}
		return all, nil
	}})
}

const (
	taskID  = "acme-web-fix-login-1a2b3c4d"
	taskRun = "0c9e5c0e-task-run"
	room    = "C1"
	plan    = "1700000000.000100" // the message that shows the plan
)

// task runs a task in a phase, with a Conversation in the room. The task accepts and stores all requests.
func (w *world) task(phase task.Phase) *fakeTask {
	f := &fakeTask{status: signals.Status{WorkflowID: taskID, RunID: taskRun, Repository: "acme/web", Task: "fix login", Phase: phase,
		Plan:      &task.Plan{Revision: 2, Deliverables: []task.Deliverable{{ID: "FIX-001", Status: task.Passed}, {ID: "FIX-002"}}},
		BudgetUSD: 5, Usage: task.Usage{CostUSD: 1.25}}, tokens: map[string]signals.TokenAnswer{}, messages: map[string]signals.TokenAnswer{}}
	f.workflow = w.server.add(taskID, &fakeWorkflow{kind: signals.CodingTask, run: taskRun,
		attrs: map[string]any{signals.AttrRepository: "acme/web", signals.AttrPhase: string(phase), signals.AttrCostUSD: 1.25},
		query: func(string, []any) (any, error) { return f.status, f.silent }, update: f.take})
	f.conversation = w.server.add(signals.ConversationID(taskRun), &fakeWorkflow{kind: signals.Conversation,
		attrs: map[string]any{signals.AttrThread: []string{"slack:" + room + ":" + plan}}, query: f.answer})
	return f
}

// planned is the status of a task with a plan of revision 2.
func planned(string, []any) (any, error) {
	return signals.Status{Phase: task.Approving, Plan: &task.Plan{Revision: 2}}, nil
}

// fakeTask is a task and its Conversation.
type fakeTask struct {
	workflow, conversation *fakeWorkflow
	status                 signals.Status
	silent, refuse         error
	got                    []any // requests that counted
	tokens                 map[string]signals.TokenAnswer
	messages               map[string]signals.TokenAnswer // of messages in the room, by id
	successor              string                         // workflow that takes commands in place of the task
}

func (f *fakeTask) take(_ string, args []any) (any, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	f.got = append(f.got, args[0])
	return signals.Ack{Phase: f.status.Phase, Revision: 2, Text: "plan revision 2 approved"}, nil
}

func (f *fakeTask) answer(name string, args []any) (any, error) {
	switch name {
	case signals.QueryTask:
		if f.successor != "" {
			return signals.TaskAnswer{Workflow: f.successor, Run: "successor-run"}, nil
		}
		return signals.TaskAnswer{Workflow: taskID, Run: taskRun, First: taskRun}, nil
	case signals.QueryToken:
		q, _ := args[0].(signals.TokenQuery)
		a, ok := f.tokens[q.Token]
		if !ok || q.Room.ID != room {
			return signals.TokenAnswer{State: signals.TokenUnknown}, nil
		}
		return a, nil
	case signals.QueryAbout:
		q, _ := args[0].(signals.AboutQuery)
		a, ok := f.messages[q.Message]
		if !ok || q.Room.ID != room {
			return signals.TokenAnswer{State: signals.TokenUnknown}, nil
		}
		return a, nil
	}
	return nil, fmt.Errorf("query %s", name)
}

// button makes a live button.
func (f *fakeTask) button(verb string) string {
	token := signals.Token(taskRun, verb+"-1")
	f.tokens[token] = signals.TokenAnswer{State: signals.TokenLive, Verb: verb, Workflow: taskID, Run: taskRun, First: taskRun, Revision: 2}
	if verb == signals.Allow || verb == signals.AllowForTask || verb == signals.Deny {
		f.tokens[token] = signals.TokenAnswer{State: signals.TokenLive, Verb: verb, Workflow: taskID, Run: taskRun, First: taskRun, Question: "4f2a91c0"}
	}
	return token
}

func press(user, token string) channel.Event {
	return channel.Event{ID: "ev-press", Kind: channel.Press, User: channel.User{ID: user, Name: "Ada"},
		Room: task.Room{Channel: channel.Slack, ID: room}, Token: token}
}

// says is a message to Longshift outside of threads.
func says(user, text string) channel.Event {
	return channel.Event{ID: "ev-1", Kind: channel.Said, User: channel.User{ID: user, Name: "Ada"}, Room: task.Room{Channel: channel.Slack, ID: room},
		Direct: true, Text: text, Message: "1700000009.000900"}
}

// replies is a message in the thread of the plan, not addressed to Longshift.
func replies(user, text string) channel.Event {
	ev := says(user, text)
	ev.Direct, ev.ReplyTo, ev.Room.Thread = false, plan, plan
	return ev
}

// anew is the same event, once more by its user.
func anew(ev channel.Event) channel.Event {
	ev.ID += "-anew"
	return ev
}

// no is a validator's refusal.
func no(kind fault.Kind, text, hint string) error {
	return temporal.NewApplicationErrorWithOptions(text, string(kind), temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{hint}})
}

var (
	errDown   = errors.New("connection refused")
	completed = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
)
