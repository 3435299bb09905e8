package integration

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// What is forged, too old or replayed changes nothing, and is on record.
func TestForgedCallsFromChat(t *testing.T) {
	t.Parallel()
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		c := newChat(t, "slack-http", lab.Brief(), onceAsked)
		slack := c.platform.(*onSlack)
		c.Play()
		p := c.plan(1)
		c.heard()
		body := slacktest.Body(slacktest.Interaction, slacktest.PressCall(slack.General, p.id, "", p.buttons["Approve"], slack.Trigger(adaSlack), "1.2", slacktest.Person(adaSlack)))
		refused := func(what string, h http.Header) {
			t.Helper()
			if status, _ := slack.Post(slack.hook, body, h); status != http.StatusUnauthorized {
				t.Errorf("%s is answered with %d", what, status)
			}
		}
		refused("an unsigned click", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
		refused("a forged one", slacktest.SignWith("0000000000000000000000000000dead", body, time.Now()))
		refused("one of six minutes ago", slacktest.Sign(body, time.Now().Add(-6*time.Minute)))
		refused("one of the future", slacktest.Sign(body, time.Now().Add(6*time.Minute)))
		c.untouched()
		c.onRecord("signature or age refused")
		// A good one, delivered three times, counts once.
		c.press(t, p.id, p.buttons["Approve"])
		good, header := slack.LastHTTP()
		for range 2 {
			if status, _ := slack.Post(slack.hook, good, header); status != http.StatusOK {
				t.Errorf("a replay within its time is answered with %d", status)
			}
		}
		end := c.Ended()
		c.Carried(end, lab.Messages[0])
		if n := strings.Count(lab.Log(end), "approved by"); n != 1 {
			t.Errorf("approved %d times%s", n, lab.Log(end))
		}
	})
	t.Run("whatsapp", func(t *testing.T) {
		t.Parallel()
		c := newChat(t, "whatsapp", lab.Brief(), onceAsked)
		wa := c.platform.(*onWhatsApp)
		c.Play()
		p := c.plan(1)
		c.heard()
		wa.Server.Press("http://127.0.0.1:1/", adaWhatsApp, "ada", p.id, p.buttons["Approve"], "Approve") // nobody there: we only want its bytes
		d := wa.Last()
		for what, signature := range map[string]string{"unsigned": "", "forged": "sha256=" + strings.Repeat("ab", 32), "of another app": whatsapptest.Sign(d.Body, "another secret")} {
			if status := wa.Post(wa.hook, d.Body, signature); status != http.StatusUnauthorized {
				t.Errorf("a press that is %s is answered with %d", what, status)
			}
		}
		c.untouched()
		c.onRecord("signature or age refused")
		for range 3 {
			if status := wa.Post(wa.hook, d.Body, d.Signature); status != http.StatusOK {
				t.Errorf("a good press is answered with %d", status)
			}
		}
		end := c.Ended()
		if n := strings.Count(lab.Log(end), "approved by"); n != 1 {
			t.Errorf("approved %d times%s", n, lab.Log(end))
		}
	})
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		c := newChat(t, "telegram", lab.Brief(), onceAsked)
		tg := c.platform.(*onTelegram)
		c.Play()
		p := c.plan(1)
		c.pressBy(t, p.id, p.buttons["Approve"])
		c.press(t, p.id, p.buttons["Approve"][:17]+strings.Repeat("A", 26)+"-approve") // made up
		lab.Eventually(t, 30*time.Second, "both are answered", func() bool {
			return strings.Contains(c.told(), "not on the list") && strings.Contains(c.told(), "not valid")
		})
		c.untouched()
		c.press(t, p.id, p.buttons["Approve"])
		tg.Again() // the same update once more
		end := c.Ended()
		if n := strings.Count(lab.Log(end), "approved by"); n != 1 {
			t.Errorf("approved %d times%s", n, lab.Log(end))
		}
	})
}

// untouched fails the test unless the plan still waits.
func (c *chat) untouched() {
	c.T.Helper()
	s, ok := c.Status(c.Begun.GetID())
	if !ok || s.Phase != task.Approving || s.Plan.Revision != 1 || strings.Contains(lab.Log(s), "approved") {
		c.T.Errorf("the task is %s%s", s.Phase, lab.Log(s))
	}
}

func (c *chat) onRecord(what string) {
	c.T.Helper()
	if ran := c.OnHostOf(c.heardBy(), "acts", "--refused", "-o", "jsonl"); !strings.Contains(ran.Out, what) {
		c.T.Errorf("%q is not on record: %s%s", what, ran.Out, ran.Err)
	}
}
