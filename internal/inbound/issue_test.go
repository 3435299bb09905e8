package inbound

import (
	"context"
	"fmt"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func issues(p *fakeForge) func(*Config) {
	return func(c *Config) { c.Issues = p }
}

// An issue that is named in a chat has one task, with the same id as from a label or an intake.
func TestRunNamesAnIssue(t *testing.T) {
	t.Parallel()
	for text, repository := range map[string]string{"run #42": "acme/web", "run acme/web#42": "acme/web", "run acme/web #42 --budget 5": "acme/web",
		"run acme/api#42": "acme/api", "run ada_acme/api#42": "ada_acme/api"} {
		w := newWorld(t, issues(&fakeForge{issue: task.Issue{Forge: "github", Number: 42, Title: "Login fails, hunter2secret", Body: "it does"}}))
		a := w.handle(says(boss, text))
		if len(w.server.starts) != 1 {
			t.Errorf("%q: answer %q", text, a.Text)
			continue
		}
		o, in := w.server.starts[0], w.server.inputs[0].(task.Input)
		owner, name, _ := strings.Cut(repository, "/")
		if o.ID != signals.IssueTaskID("", owner, name, 42) || o.WorkflowIDReusePolicy != enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE ||
			o.WorkflowIDConflictPolicy != enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING || !o.WorkflowExecutionErrorWhenAlreadyStarted {
			t.Errorf("%q: started as %+v", text, o)
		}
		if in.Repository != repository || in.Task != "Resolve issue #42." || in.Issue == nil || in.Issue.Title != "Login fails, [hidden]" ||
			in.RequestedBy.Via != "slack" || in.Room == nil {
			t.Errorf("%q: input %+v", text, in)
		}
		if !strings.Contains(a.Text, "works on issue #42") {
			t.Errorf("%q: answer %q", text, a.Text)
		}
	}
}

// A text that mentions an issue is an ordinary task, and an issue that can't be read starts none.
func TestRunWithoutAnIssueToRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, issues(&fakeForge{}))
	w.handle(says(boss, "run fix what #42 says"))
	if in := w.server.inputs[0].(task.Input); in.Issue != nil || in.Task != "fix what #42 says" {
		t.Errorf("input %+v", in)
	}
	for name, c := range map[string]struct {
		place *fakeForge
		says  string
	}{
		"closed": {&fakeForge{closed: true}, "closed"}, "gone": {&fakeForge{none: fault.New(fault.NotFound, "issue acme/web#42 was deleted")}, "deleted"},
		"nobody reads": {nil, "can be read here"},
	} {
		w := newWorld(t)
		if c.place != nil {
			w = newWorld(t, issues(c.place))
		}
		if a := w.handle(says(boss, "run #42")); len(w.server.starts) > 0 || !strings.Contains(a.Text, c.says) {
			t.Errorf("%s: %d started, answer %q", name, len(w.server.starts), a.Text)
		}
	}
}

// intake is a fake of the intakes of a repository.
type intake struct {
	found bool
	err   error
	looks int
	asked string // about an issue with this label and these assignees
}

func (i *intake) Look(_ context.Context, _, owner, name, label string, assignees []string) (bool, error) {
	if owner == "acme" && name == "web" && label == "longshift" {
		i.looks++
	}
	i.asked = fmt.Sprintf("%q %q", label, assignees)
	if assignees == nil {
		i.asked = fmt.Sprintf("%q, not known", label)
	}
	return i.found, i.err
}

// Where there is an intake, a label makes it poll, and starts no task by itself; a person's command does.
func TestLabelMakesTheIntakeLook(t *testing.T) {
	t.Parallel()
	ev := forge.Event{Kind: forge.IssueWanted, ID: "issue-42-a", Owner: "acme", Name: "web", Number: 42, Actor: "ada"}
	p := &fakeForge{by: "ada", issue: task.Issue{Number: 42, Title: "x"}}
	for _, c := range []struct {
		intake intake
		starts int
	}{{intake{found: true}, 0}, {intake{}, 1}} {
		w := newWorld(t, func(conf *Config) { conf.Intakes = &c.intake })
		w.handleRequest(t, p, ev)
		if len(w.server.starts) != c.starts || c.intake.looks != 1 {
			t.Errorf("found %v: %d started, %d looks", c.intake.found, len(w.server.starts), c.intake.looks)
		}
	}
	for want, ev := range map[string]forge.Event{
		`"longshift", not known`: ev, `"longshift" []`: {Labelled: true}, `"" ["bot" "me"]`: {Assigned: true, Assignees: []string{"bot"}},
		`"longshift" ["alice"]`: {Labelled: true, Assignees: []string{"alice"}},
	} {
		ev.Kind, ev.ID, ev.Owner, ev.Name, ev.Number, ev.Actor = forge.IssueWanted, "issue-42-a", "acme", "web", 42, "ada"
		seen := intake{found: true}
		w := newWorld(t, func(conf *Config) { conf.Intakes = &seen })
		if w.handleRequest(t, p, ev); seen.asked != want {
			t.Errorf("%+v: asked about %s, want %s", ev, seen.asked, want)
		}
	}
	w := newWorld(t, func(conf *Config) { conf.Intakes = &intake{err: fault.New(fault.Infra, "no answer")} })
	if _, err := w.handler.HandleRequest(t.Context(), ev, p, "longshift"); fault.KindOf(err) != fault.Infra {
		t.Errorf("a server that does not answer: %v", err)
	}
	w = newWorld(t, func(conf *Config) { conf.Intakes = &intake{found: true} })
	w.handleRequest(t, p, commented("ada", "run"))
	if len(w.server.starts) != 1 {
		t.Error("a person's word has started nothing")
	}
}
