package telegram

import (
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
)

func newRefusing(t *testing.T, code int, words string) *httptest.Server {
	s := httptest.NewServer(telegramtest.Refuse(code, words))
	t.Cleanup(s.Close)
	return s
}

// TestAnswers checks that an answer is an alert if it fits and the press is recent, and a message otherwise.
func TestAnswers(t *testing.T) {
	long := strings.Repeat("word 🎉 ", 40)
	for name, c := range map[string]struct {
		answer  channel.Answer
		said    bool
		old     bool
		alerts  []string
		message string
	}{
		"short":         {answer: channel.Answer{Text: "You **approved**."}, alerts: []string{"You approved."}},
		"nothing":       {},
		"form":          {answer: channel.Answer{Form: &channel.Question{Hint: "Reply to the plan."}}, alerts: []string{"Reply to the plan."}},
		"text and form": {answer: channel.Answer{Text: "Fine.", Form: &channel.Question{Hint: "Reply."}}, alerts: []string{"Fine.\n\nReply."}},
		"long":          {answer: channel.Answer{Text: long}, message: strings.TrimSpace(long)},
		"too old":       {answer: channel.Answer{Text: "You approved."}, old: true, message: "You approved."},
		"old, nothing":  {old: true},
		"said":          {said: true, answer: channel.Answer{Text: "Two @tasks."}, message: "Two @\u2060tasks."},
		"said, form":    {said: true, answer: channel.Answer{Form: &channel.Question{Hint: "Write it."}}, message: "Write it."},
	} {
		t.Run(name, func(t *testing.T) {
			s, x := start(t)
			at, err := x.Post(t.Context(), room(group), channel.Message{Text: "?", Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}, false)
			if err != nil {
				t.Fatal(err)
			}
			id, _ := strconv.Atoi(at.Message)
			switch {
			case c.said:
				id = s.Say(group, private, "ada", "/status", 0)
			case c.old:
				s.Add(map[string]any{"callback_query": map[string]any{"id": "old1", "from": telegramtest.Person(private, "ada"), "data": "yes",
					"message": map[string]any{"message_id": id, "date": 0, "chat": map[string]any{"id": group, "type": "supergroup"}}}})
			default:
				s.Press(group, private, "ada", id, "yes")
			}
			s.Fail(telegramtest.Slow(1)) // an answer waits for the requested pause
			h := heard{then: func(channel.Event, int) (channel.Answer, error) { return c.answer, nil }}
			listens(t, open(t, s, func(c *Config) { c.Sleep = (&waits{}).sleep }), &h)
			await(t, func() bool { return s.Confirmed() > s.Last() })
			if alerts := s.Alerts(private); !slices.Equal(alerts, c.alerts) || s.Waiting() != 0 {
				t.Errorf("alerts %q, %d presses without an answer", alerts, s.Waiting())
			}
			stands := s.Messages(group)
			last := stands[len(stands)-1]
			if c.message == "" {
				if last.ID != id {
					t.Errorf("wrote %q", last.Sent)
				}
			} else if last.Sent != c.message || last.ReplyTo != id || !last.Silent || len(h.events) != 1 {
				t.Errorf("wrote %q under %d, heard %d times", last.Sent, last.ReplyTo, len(h.events))
			}
		})
	}
}
