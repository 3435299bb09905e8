package workflows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// Who wants no notice of the end gets no message about it. The Conversation is told all the same, or it would never end.
func TestNoNoticeOfTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		off  func(*task.NotifySettings)
		fail bool
		end  string
	}{
		"all on":                 {func(*task.NotifySettings) {}, false, "ended/end/final"},
		"complete off":           {func(n *task.NotifySettings) { n.Complete = false }, false, "ended/final"},
		"error off":              {func(n *task.NotifySettings) { n.Error = false }, false, "ended/end/final"},
		"complete off, it fails": {func(n *task.NotifySettings) { n.Complete = false }, true, "ended/end/final"},
		"error off, it fails":    {func(n *task.NotifySettings) { n.Error = false }, true, "ended/final"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.rooms = []task.Room{slackRoom}
			w.settings.Notify.Progress, w.settings.Notify.PlanReady, w.settings.Quota = false, false, "end"
			c.off(&w.settings.Notify)
			if c.fail {
				w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
					return activities.SessionResult{Kind: agent.Quota, Error: "used up"}, nil
				}
			}
			w.record()
			w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(`{"repository":"acme/calc","task":"x"}`))
			if got := w.told(); got != c.end && got != "approved/plan/settled "+c.end {
				t.Errorf("told %q, want the end %q", got, c.end)
			}
		})
	}
}

// Without a notice of the end the message that stands is edited a last time, and no new one is written.
func TestConversationEndsWithoutANotice(t *testing.T) {
	for name, c := range map[string]struct {
		before []signals.Notice
		want   string
	}{
		"a message stands": {[]signals.Notice{{N: 1, Kind: "prepared"}}, "+card =card"},
		"none does":        {nil, ""},
		"one waits":        {[]signals.Notice{{N: 1, Kind: "prepared"}, {N: 2, Kind: "deliverable"}}, "+card =card"},
		"a plan waits": {[]signals.Notice{{N: 1, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1}},
			"+card +plan =card =plan(the task has ended) =card"},
		"a plan is decided": {[]signals.Notice{{N: 1, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1},
			{N: 2, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1, Settled: true, Text: "approved"}}, "+card +plan =plan(approved) =card =card"},
		"it is suspended": {[]signals.Notice{{N: 1, Kind: "news", Subject: signals.SubjectNews}, {N: 2, Kind: "suspended", Subject: signals.SubjectStop}},
			"+card +news +stop =card =stop(the task has ended) =card"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, n := range c.before {
				w.notify(time.Second, n)
			}
			after := time.Minute
			if name == "one waits" { // all at once: the first message is not written yet
				after = time.Second
			}
			w.notify(after, signals.Notice{N: 9, Kind: "ended", Final: true})
			converse(t, w, slackRoom)
			if got := w.posted("slack"); got != c.want {
				t.Errorf("shown %q, want %q", got, c.want)
			}
		})
	}
}
