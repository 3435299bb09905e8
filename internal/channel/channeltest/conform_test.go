package channeltest_test

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/task"
)

// open returns a fixture for an in-memory channel with a flaw.
func open(flaw string) func(t *testing.T) channeltest.Fixture {
	return func(t *testing.T) channeltest.Fixture {
		m := &memory{flaw: flaw, keys: map[string]task.MessageRef{}, files: map[string]channeltest.File{},
			events: make(chan channel.Event, 10)}
		f := channeltest.Fixture{Channel: m, Listener: m, Room: task.Room{Channel: "memory", ID: "R1"}, User: channel.User{ID: "U1", Name: "Ada"},
			Token: secret, Limit: limit, Searchable: true, Redelivers: true}
		f.Gone = task.MessageRef{Room: f.Room, Message: "99"}
		f.Shown = func(*testing.T, task.Room) []channeltest.Shown {
			m.mu.Lock()
			defer m.mu.Unlock()
			list := append([]channeltest.Shown(nil), m.shown...)
			for i := range list {
				list[i].Text = strings.ReplaceAll(list[i].Text, joiner, "")
			}
			return list
		}
		f.Thread = func(t *testing.T) task.Room {
			room := f.Room
			room.Thread = "T1"
			return room
		}
		f.Files = func(*testing.T, task.Room) (list []channeltest.File) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, key := range slices.Sorted(maps.Keys(m.files)) {
				list = append(list, m.files[key])
			}
			return list
		}
		f.Mentions = func(t *testing.T) (n int) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, s := range m.shown {
				n += strings.Count(s.Text, "<!") + strings.Count(s.Text, "<@")
			}
			for _, s := range m.answers {
				n += strings.Count(s, "<!") + strings.Count(s, "<@")
			}
			return n
		}
		f.Fail = func(_ *testing.T, kind channeltest.Failure) { m.fail = kind }
		f.Lose = func(*testing.T) { m.lose = true }
		f.Press = func(_ *testing.T, at task.MessageRef, token string, by channel.User) {
			e := channel.Event{Kind: channel.Press, User: by, Room: at.Room, Token: token, Message: at.Message, Direct: true}
			if m.bad("wrong user") {
				e.User.ID = by.Name
			}
			m.happen(e)
		}
		f.Say = func(_ *testing.T, s channeltest.Say) string {
			e := channel.Event{Kind: channel.Said, User: s.User, Room: s.Room, Text: s.Text, ReplyTo: s.ReplyTo, Direct: s.Direct || m.bad("all direct"), Message: "M1"}
			if m.bad("no reply") {
				e.ReplyTo = ""
			}
			if s.By == channeltest.Person || m.bad("hears machines") {
				if s.By != channeltest.Person {
					e.User = channel.User{ID: "B1", Name: "Bot"}
				}
				m.happen(e)
			}
			return "M1"
		}
		f.Redeliver = func(*testing.T) {
			if m.bad("new id") {
				m.happen(m.last)
				return
			}
			m.events <- m.last
		}
		f.Break = func(*testing.T) {}
		f.Answers = func(*testing.T) []string {
			m.mu.Lock()
			defer m.mu.Unlock()
			var list []string
			for _, a := range m.answers {
				list = append(list, strings.ReplaceAll(a, joiner, ""))
			}
			return list
		}
		f.Fill = func(t *testing.T, text string, by channel.User) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.form == nil {
				t.Fatal(errNoForm)
			}
			e := channel.Event{Kind: channel.Form, User: by, Room: f.Room, Token: m.form.Token, Text: text, Direct: true}
			if m.bad("form is trimmed") {
				e.Text = strings.Join(strings.Fields(text), " ")
			}
			m.happen(e)
		}
		return f
	}
}

const flawEnv = "LONGSHIFT_TEST_FLAW"

func TestConform(t *testing.T) { channeltest.Conform(t, open(os.Getenv(flawEnv))) }

// TestFlaws checks that each flaw fails its case. It uses child processes, since a failed test can't be undone.
func TestFlaws(t *testing.T) {
	if os.Getenv(flawEnv) != "" {
		return
	}
	for flaw, test := range map[string]string{
		"no wait": "rate limit", "token in error": "refused token", "server error denied": "server error", "live mentions": "mentions",
		"empty text": "empty text", "code is cut": "code stays whole", "wrong sound": "sound", "no foot": "foot", "file twice": "lost answer of a file",
		"buttons on all": "long text", "rest is lost": "huge text",
		"ended context": "ended context", "posts twice": "lost answer", "no thread": "thread", "buttons stay": "edit", "edit posts": "edit",
		"gone is fine": "edit what is gone", "listen fails": "say", "forgets": "error leads to redelivery", "error is shown": "error of a hearer", "mute": "answer",
		"one id": "press", "new id": "delivered again", "wrong user": "press", "all direct": "aside", "no reply": "reply", "forgets parts": "reply to the first part", "hears machines": "machines",
		"form is trimmed": "form",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			name := strings.ReplaceAll(test, " ", "_")
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestConform$/^"+name+"$")
			cmd.Env = append(os.Environ(), flawEnv+"="+flaw)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestConform/"+name) || strings.Contains(string(out), "panic:") {
				t.Errorf("case %q does not see it: %v\n%s", test, err, channel.Shorten(string(out), 2000))
			}
		})
	}
}
