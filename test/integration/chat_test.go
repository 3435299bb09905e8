package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// byModel is the platform on which Claude Code works on the tasks of people; on the others the scripted agent does.
const byModel = "slack-socket"

// newChat sets the scene. Where the platform calls us, a process that only listens takes the calls, and the worker hears nobody.
func newChat(t *testing.T, name string, script agenttest.Script, settings string) *chat {
	t.Helper()
	port, health := lab.FreePort(t), lab.FreePort(t)
	c := &chat{health: fmt.Sprintf("127.0.0.1:%d", health), platform: platforms()[name](t, port)}
	env, stage := c.env(), lab.NewScriptedStage
	if name == byModel {
		stage = lab.NewStage
	}
	separate := strings.Contains(name, "http") || name == "whatsapp"
	if separate {
		c.Stage = stage(t, script, settings, append(env, "LONGSHIFT_LISTENERS=false")...)
		c.listener = c.StartWorker(t, t.TempDir(), append(env, "LONGSHIFT_ROLE=listen", fmt.Sprintf("LONGSHIFT_LISTEN=127.0.0.1:%d", port), "LONGSHIFT_HEALTH="+c.health)...)
	} else {
		c.Stage = stage(t, script, settings, env...)
	}
	c.Ready()
	return c
}

// heard waits until somebody listens.
func (c *chat) heard() {
	c.T.Helper()
	lab.Eventually(c.T, 60*time.Second, "somebody listens", c.listening)
}

// plan waits for the message about a revision of the plan that has its buttons.
func (c *chat) plan(revision int) (p post) {
	c.T.Helper()
	head := fmt.Sprintf("Plan, revision %d", revision)
	lab.Eventually(c.T, 60*time.Second, "the plan is shown", func() bool {
		all := c.posts()
		i := slices.IndexFunc(all, func(p post) bool { return strings.Contains(p.text, head) && p.buttons["Approve"] != "" })
		if i < 0 && strings.Contains(c.kind(), "whatsapp") { // the buttons stand in a message of their own
			i = slices.IndexFunc(all, func(p post) bool { return p.buttons["Approve"] != "" })
			for j := range all {
				if all[j].buttons["Approve"] != "" {
					i = j // the newest
				}
			}
			if n := len(slices.DeleteFunc(slices.Clone(all), func(p post) bool { return p.buttons["Approve"] == "" })); n < revision {
				return false
			}
		}
		if i >= 0 {
			p = all[i]
		}
		return i >= 0
	})
	return p
}

func (c *chat) kind() string { return fmt.Sprintf("%T", c.platform) }

// settled waits until the server knows what the Conversation of a button has posted: a platform that can't be searched would get it
// once more after a crash.
func (c *chat) settled(token string) {
	c.T.Helper()
	id, _ := signals.TokenConversation(token)
	lab.Eventually(c.T, 60*time.Second, "what was posted is on record", func() bool {
		d, err := c.Client.DescribeWorkflowExecution(c.T.Context(), id, "")
		return err == nil && len(d.PendingActivities) == 0 && d.PendingWorkflowTask == nil
	})
}

func (c *chat) shows(what string) {
	c.T.Helper()
	lab.Eventually(c.T, 60*time.Second, "it is shown: "+what, func() bool {
		return slices.ContainsFunc(c.posts(), func(p post) bool { return strings.Contains(p.text, what) })
	})
}

// A plan goes to people; the server, the worker and the listener die and come back; then somebody clicks. Execution starts, once,
// however often they click.
func TestApproveFromChat(t *testing.T) {
	t.Parallel()
	for name := range platforms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChat(t, name, lab.Brief(), onceAsked)
			c.Play()
			p := c.plan(1)
			c.settled(p.buttons["Approve"])
			for _, w := range []*lab.Worker{c.listener, c.Worker} {
				if w != nil {
					w.Kill()
				}
			}
			c.Server.Kill()
			c.Server.Start()
			c.Healthy()
			for _, w := range []*lab.Worker{c.listener, c.Worker} {
				if w != nil {
					w.Start()
				}
			}
			c.heard()
			slack, hasHome := c.platform.(*onSlack)
			if hasHome {
				lab.Eventually(t, 60*time.Second, "the home of who decides shows the task and its thread", func() bool {
					h := slack.home()
					return strings.Contains(h.Text, c.Begun.GetID()+" Approving") && strings.Contains(strings.Join(h.Links, " "), "/archives/"+slack.General+"/p")
				})
			}
			c.pressBy(t, p.id, p.buttons["Approve"])
			lab.Eventually(t, 60*time.Second, "a stranger is told", func() bool { return strings.Contains(c.told(), "not on the list") })
			if s, ok := c.Status(c.Begun.GetID()); ok && s.Phase != task.Approving {
				t.Errorf("a stranger has moved the task to %s", s.Phase)
			}
			c.press(t, p.id, p.buttons["Approve"])
			c.press(t, p.id, p.buttons["Approve"])
			end := c.Ended()
			c.Carried(end, lab.Messages[0])
			if n := strings.Count(lab.Log(end), "plan revision 1 approved by"); n != 1 {
				t.Errorf("approved %d times%s", n, lab.Log(end))
			}
			if name != "whatsapp" { // where messages can't be changed
				lab.Eventually(t, 60*time.Second, "the buttons are gone", func() bool {
					return !slices.ContainsFunc(c.posts(), func(p post) bool { return len(p.buttons) > 0 })
				})
				c.shows("Plan revision 1 approved by")
			}
			c.shows("Pull request")
			if hasHome {
				slack.file(t)
				lab.Eventually(t, 60*time.Second, "nothing waits on the home", func() bool { return strings.Contains(slack.home().Text, "Nothing waits for you.") })
			}
			c.press(t, p.id, p.buttons["Approve"]) // long after
			acts := c.OnHostOf(c.heardBy(), "acts", "--refused", "-o", "json")
			if !strings.Contains(acts.Out, "not on the list") {
				t.Errorf("the stranger's press is not on record: %s %s", acts.Out, acts.Err)
			}
		})
	}
}

// heardBy is the process that hears people.
func (c *chat) heardBy() *lab.Worker {
	if c.listener != nil {
		return c.listener
	}
	return c.Worker
}

// A reply sends the plan back; the buttons of the old revision are dead, and change nothing.
func TestEditFromChat(t *testing.T) {
	t.Parallel()
	for name := range platforms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := lab.Brief()
			script.Rules = append([]agenttest.Rule{lab.Planning("plan-again", "only calc.go please", "change calc.go only")}, script.Rules...)
			c := newChat(t, name, script, onceAsked)
			c.Play()
			old := c.plan(1)
			c.heard()
			c.reply(t, old.id, "only calc.go please")
			p := c.plan(2)
			c.press(t, old.id, old.buttons["Approve"])
			lab.Eventually(t, 60*time.Second, "the old button is answered", func() bool {
				return strings.Contains(c.told(), "only calc.go please") || strings.Contains(strings.ToLower(c.told()), "revision")
			})
			if s := c.Until("the task still waits", func(s signals.Status) bool { return s.Phase == task.Approving }); s.Plan.Revision != 2 {
				t.Errorf("revision %d", s.Plan.Revision)
			}
			if slack, ok := c.platform.(*onSlack); ok { // and once more, by a form
				slack.press(t, p.id, p.buttons["Edit"])
				if slack.hook == "" {
					slack.Fill(t, "only calc.go please, once more", adaSlack)
				} else if status, body := slack.FillHTTP(slack.hook, "only calc.go please, once more", adaSlack); status != 200 {
					t.Errorf("the form is answered with %d: %s", status, body)
				}
				p = c.plan(3)
			}
			c.press(t, p.id, p.buttons["Approve"])
			c.Carried(c.Ended(), lab.Messages[0])
			if prompts := c.Heard("plan-again", 0); name == byModel && (len(prompts) == 0 || !strings.Contains(prompts[0].Prompt, "only calc.go please")) {
				t.Error("the planner was not told what is to change")
			}
		})
	}
}

// A channel that is down for the whole task does not hold it up. When it is back, what people must know comes in order.
func TestChannelDownForATask(t *testing.T) {
	t.Parallel()
	c := newChat(t, "slack-socket", lab.Brief(), lab.QuickSettings)
	c.down(true)
	c.Play()
	end := c.Ended()
	c.Carried(end, lab.Messages[0])
	if n := len(c.posts()); n != 0 {
		t.Fatalf("%d messages got through", n)
	}
	c.down(false)
	c.shows("Pull request")
	lab.Eventually(t, 60*time.Second, "the plan stands before the end", func() bool {
		plan, ended := -1, -1
		for i, p := range c.posts() {
			if strings.Contains(p.text, "Plan, revision 1") {
				plan = i
			}
			if strings.Contains(p.text, "Pull request · ") {
				ended = i
			}
		}
		return plan >= 0 && ended > plan
	})
}

// A task is started from a chat, and everything about it stands there.
func TestRunFromChat(t *testing.T) {
	t.Parallel()
	c := newChat(t, "telegram", lab.Brief(), lab.QuickSettings)
	telegram := c.platform.(*onTelegram)
	telegram.Say(eveTelegram, eveTelegram, "eve", "run "+lab.Name+" "+lab.Ask, 0)
	telegram.Say(adaTelegram, adaTelegram, "ada", "run "+lab.Name+" "+lab.Ask, 0)
	telegram.Again() // delivered twice
	c.shows("Pull request")
	if pulls := c.GitHub.Pulls(lab.Name); len(pulls) != 1 {
		t.Errorf("%d pull requests", len(pulls))
	}
	var told string
	for _, m := range telegram.Messages(eveTelegram) {
		told += m.Text
	}
	if !strings.Contains(told, "not on the list") || !strings.Contains(told, fmt.Sprint(eveTelegram)) {
		t.Errorf("a stranger is told %q", told)
	}
}
