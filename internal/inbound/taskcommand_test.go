package inbound

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestRepliesAreAboutTheirMessage: a reply decides about the plan or command that its message shows, and nothing else.
func TestRepliesAreAboutTheirMessage(t *testing.T) {
	t.Parallel()
	m := signals.Message{ID: "ev-1", By: "Ada"}
	live := signals.TokenAnswer{State: signals.TokenLive, Workflow: taskID, Run: taskRun}
	shown, asked, stopped := live, live, live
	shown.Revision, asked.Question = 1, "4f2a91c0"
	stale := signals.TokenAnswer{State: signals.TokenStale, Why: "revision 2 of the plan is current", Revision: 1, Workflow: taskID}
	settled := signals.TokenAnswer{State: signals.TokenStale}
	for name, tt := range map[string]struct {
		text  string
		about *signals.TokenAnswer
		phase task.Phase
		want  any
		reply string // of a refusal
	}{
		"approve what it shows":     {"approve", &shown, task.Approving, signals.ApproveRequest{Message: m, Revision: 1}, ""},
		"edit what it shows":        {"edit use tabs", &shown, task.Approving, signals.EditRequest{Message: m, Revision: 1, Text: "use tabs"}, ""},
		"words about what it is":    {"use tabs", &shown, task.Approving, signals.EditRequest{Message: m, Revision: 1, Text: "use tabs"}, ""},
		"reject what it shows":      {"reject", &shown, task.Approving, signals.RejectRequest{Message: m, Revision: 1}, ""},
		"another one by name":       {"approve --revision 2", &shown, task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, ""},
		"the card":                  {"approve", nil, task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, ""},
		"a stop":                    {"approve", &stopped, task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, ""},
		"old plan":                  {"approve", &stale, task.Approving, nil, "The message that you answer is no longer current: revision 2 of the plan is current"},
		"old plan, words":           {"use tabs", &stale, task.Approving, nil, "The message that you answer is no longer current"},
		"old plan, words later":     {"use tabs", &stale, task.Executing, signals.TellRequest{Message: m, Text: "use tabs"}, ""},
		"old plan, message":         {"tell use tabs", &stale, task.Executing, signals.TellRequest{Message: m, Text: "use tabs"}, ""},
		"allow what it shows":       {"allow", &asked, task.Executing, signals.AllowRequest{Message: m, Question: "4f2a91c0"}, ""},
		"allow it by its beginning": {"allow 4f2a", &asked, task.Executing, signals.AllowRequest{Message: m, Question: "4f2a91c0"}, ""},
		"deny what it shows":        {"deny", &asked, task.Executing, signals.DenyRequest{Message: m, Question: "4f2a91c0"}, ""},
		"allow another":             {"allow 77777777", &asked, task.Executing, nil, "The message that you answer is about the command `4f2a91c0`."},
		"deny another":              {"deny 77777777", &asked, task.Executing, nil, "The message that you answer is about the command `4f2a91c0`."},
		"allow what has its no":     {"allow", &settled, task.Executing, nil, "The message that you answer is no longer current: this was settled already"},
		"allow it by its id":        {"allow 4f2a91c0", &settled, task.Executing, nil, "The message that you answer is no longer current"},
		"deny what has its yes":     {"deny", &settled, task.Executing, nil, "The message that you answer is no longer current"},
		"allow at the plan":         {"allow", &shown, task.Executing, nil, "Which command?"},
		"allow at the card":         {"allow", nil, task.Executing, nil, "Which command?"},
		"approve at a command":      {"approve", &asked, task.Approving, nil, "The message that you answer is about a command that waits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(tt.phase)
			if tt.about != nil {
				f.messages[plan] = *tt.about
			}
			a := w.handle(replies(boss, tt.text))
			var want []any
			if tt.want != nil {
				want = []any{tt.want}
			}
			if diff := cmp.Diff(want, f.got); diff != "" || !strings.HasPrefix(a.Text, tt.reply) || w.last().Done != (tt.want != nil) {
				t.Errorf("answer %q, recorded %+v\n%s", a.Text, w.last(), diff)
			}
		})
	}
}

// TestRepliesGoToTheSenderOfTheMessage: the thread may belong to the workflow that follows the pull request by now.
func TestRepliesGoToTheSenderOfTheMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Executing)
	f.successor = signals.PullRequestID("", "acme", "web", 12)
	f.messages[plan] = signals.TokenAnswer{State: signals.TokenLive, Workflow: taskID, Question: "4f2a91c0"}
	if w.handle(replies(boss, "allow")); len(f.got) != 1 || w.last().Task != taskID {
		t.Errorf("sent %v, recorded %+v", f.got, w.last())
	}
	f.messages[plan] = signals.TokenAnswer{State: signals.TokenLive, Workflow: taskID, Revision: 2}
	if w.handle(anew(replies(boss, "approve"))); len(f.got) != 2 || w.last().Task != taskID {
		t.Errorf("sent %v, recorded %+v", f.got, w.last())
	}
}

func TestMessagesThatNobodyKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	f.conversation.query = func(name string, args []any) (any, error) {
		if name == signals.QueryAbout {
			return nil, serviceerror.NewQueryFailed("unknown query type")
		}
		return f.answer(name, args)
	}
	if w.handle(replies(boss, "approve")); len(f.got) != 1 || f.got[0].(signals.ApproveRequest).Revision != 2 {
		t.Errorf("a conversation that does not know the question: %v", f.got)
	}
	w = newWorld(t)
	f = w.task(task.Approving)
	f.conversation.query = func(name string, args []any) (any, error) {
		if name == signals.QueryAbout {
			return nil, serviceerror.NewUnavailable("no worker")
		}
		return f.answer(name, args)
	}
	if _, err := w.handler.Handle(t.Context(), replies(boss, "approve")); fault.KindOf(err) != fault.Infra || len(f.got) != 0 {
		t.Errorf("nobody answers: %v, sent %v", err, f.got)
	}
}

// TestBareDecisionsAreAboutTheCurrentPlan: none may count for a plan that nobody has seen yet.
func TestBareDecisionsAreAboutTheCurrentPlan(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"approve", "reject", "edit use tabs"} {
		w := newWorld(t)
		f := w.task(task.Approving)
		f.status.Plan = nil
		if a := w.handle(says(boss, text)); len(f.got) != 0 || !strings.Contains(a.Text, "shows no plan to decide about") || w.last().Done {
			t.Errorf("%s without a plan: %q, sent %v", text, a.Text, f.got)
		}
		f.silent = serviceerror.NewQueryFailed("x")
		if w.handle(anew(says(boss, text))); len(f.got) != 0 {
			t.Errorf("%s of a task that does not say how it stands: sent %v", text, f.got)
		}
		f.silent = serviceerror.NewUnavailable("x")
		if _, err := w.handler.Handle(t.Context(), anew(anew(says(boss, text)))); fault.KindOf(err) != fault.Infra || len(f.got) != 0 {
			t.Errorf("%s without a worker: %v, sent %v", text, err, f.got)
		}
	}
}
