package terminal_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/channel/terminal"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// screen keeps the output and reads it as a person does: unindented lines are the terminal's, indented ones are text.
type screen struct {
	mu    sync.Mutex
	out   bytes.Buffer
	keys  *io.PipeWriter
	stamp string // what the ids of its messages have behind their numbers
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

var (
	header = regexp.MustCompile(`^\a?── #(\d+)(?: \S+)?(?: in #(\d+))? ──$`)
	hint   = regexp.MustCompile(`\[(\d)\] (.*?)(?:  |$)`)
)

// shown returns the messages in their latest form, and the answers.
func (s *screen) shown() (list []channeltest.Shown, answers []string) {
	var now *channeltest.Shown
	inCode, inAnswer := false, false
	for _, line := range strings.Split(s.String(), "\n") {
		if m := header.FindStringSubmatch(line); m != nil {
			i := slices.IndexFunc(list, func(one channeltest.Shown) bool { return one.ID == m[1]+s.stamp })
			if i < 0 {
				i, list = len(list), append(list, channeltest.Shown{})
			}
			now, inAnswer = &list[i], false
			*now = channeltest.Shown{ID: m[1] + s.stamp, Thread: m[2], Sound: channeltest.Silent}
			if strings.HasPrefix(line, "\a") {
				now.Sound = channeltest.Loud
			}
			continue
		}
		code, isCode := strings.CutPrefix(line, "  │ ")
		text, isText := strings.CutPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "» "):
			answers, inAnswer = append(answers, line[len("» "):]), true
		case inAnswer:
			answers[len(answers)-1] += "\n" + strings.TrimPrefix(line, "  ")
		case isCode && inCode:
			now.Code[len(now.Code)-1] += "\n" + code
			now.Text += code + "\n"
		case isCode:
			now.Code = append(now.Code, code)
			now.Text += code + "\n"
		case isText:
			now.Text += text + "\n"
		case strings.HasPrefix(line, "[1] "):
			for _, m := range hint.FindAllStringSubmatch(line, -1) {
				now.Buttons = append(now.Buttons, channeltest.Button{Label: m[2]})
			}
		case line != "":
			now.Text += line + "\n"
		}
		inCode = isCode
	}
	return list, answers
}

// typed returns what to type for a button.
func (s *screen) typed(t *testing.T, f channeltest.Fixture, at task.MessageRef, label string) string {
	t.Helper()
	for _, m := range f.Shown(t, at.Room) {
		for i, b := range m.Buttons {
			if m.ID == at.Message && b.Label == label {
				return fmt.Sprint(i + 1)
			}
		}
	}
	t.Fatalf("no button %q at %+v", label, at)
	return ""
}

func (s *screen) enter(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(s.keys, line+"\n"); err != nil {
		t.Errorf("type %q: %v", line, err)
	}
}

func start(t *testing.T) (*terminal.Terminal, *screen) {
	t.Helper()
	in, keys := io.Pipe()
	t.Cleanup(func() { keys.Close() })
	began := time.Now()
	s := &screen{keys: keys, stamp: "." + strconv.FormatInt(began.UnixNano(), 36)}
	return terminal.New(terminal.Config{Out: s, In: in, Now: func() time.Time { return began }}), s
}

// tokens maps labels to tokens, which a screen does not show.
var tokens = map[string]string{"Approve": "approve." + strings.Repeat("x", 52), "Edit": "edit.task-1.2", "Reject": "reject.task-1.2", "Yes": "yes.1"}

func open(t *testing.T) channeltest.Fixture {
	term, s := start(t)
	f := channeltest.Fixture{
		Channel: term, Listener: term,
		Room:    task.Room{Channel: channel.Terminal, ID: "operator"},
		User:    channel.User{ID: "operator", Name: "operator"},
		Private: true, NoRobots: true,
	}
	f.OneLine = true
	f.Fill = func(t *testing.T, text string, _ channel.User) { s.enter(t, text) }
	f.Gone = task.MessageRef{Room: f.Room, Message: "99"}
	f.Shown = func(t *testing.T, room task.Room) []channeltest.Shown {
		list, _ := s.shown()
		for i := range list {
			for j, b := range list[i].Buttons {
				list[i].Buttons[j].Token = tokens[b.Label]
			}
		}
		return list
	}
	f.Press = func(t *testing.T, at task.MessageRef, token string, by channel.User) {
		for label, known := range tokens {
			if known == token {
				s.enter(t, s.typed(t, f, at, label))
				return
			}
		}
		t.Fatalf("no label for %q", token)
	}
	f.Say = func(t *testing.T, say channeltest.Say) string {
		line := say.Text
		if say.ReplyTo != "" {
			line = "#" + strings.TrimSuffix(say.ReplyTo, s.stamp) + " " + line
		}
		s.enter(t, line)
		return ""
	}
	f.Answers = func(*testing.T) []string { _, a := s.shown(); return a }
	return f
}

func TestConform(t *testing.T) { channeltest.Conform(t, open) }

// TestWritten checks the exact output.
func TestWritten(t *testing.T) {
	s := &screen{}
	now := time.Date(2026, 3, 1, 14, 12, 0, 0, time.UTC)
	term := terminal.New(terminal.Config{Out: s, Now: func() time.Time { return now }})
	room := task.Room{Channel: channel.Terminal, ID: "operator", Thread: "7"}
	m := channel.Message{Key: "k", Text: "# Plan\n\nDo *it*:\n\n1. one\n2. two\n\n```sh\nmake\n\ntest\n```", Loud: true,
		Buttons: []channel.Button{{Label: "Approve", Token: "a"}, {Label: "Edit\x1b[2J", Token: "b"}, {Label: "Reject", Token: "c"}},
		Until:   now.Add(20 * time.Minute), Then: "approved automatically"}
	at, err := term.Post(t.Context(), room, m, false)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if err := term.Edit(t.Context(), at, m); err != nil { // unchanged, so nothing is written
		t.Fatal(err)
	}
	if err := term.Edit(t.Context(), at, channel.Message{Key: "k", Text: "Approved."}); err != nil {
		t.Fatal(err)
	}
	want := "\a── #1 operator in #7 ──\n  Plan\n\n  Do it:\n\n  1. one\n  2. two\n\n  │ make\n  │ \n  │ test\n\n" +
		"Approved automatically at 14:32 UTC, in 20 minutes\n\n[1] Approve  [2] Edit^[[2J  [3] Reject\n\n── #1 operator in #7 ──\n  Approved.\n\n"
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRestarted checks that the numbers of a new process do not lead to messages of another task, which an earlier process has shown.
func TestRestarted(t *testing.T) {
	old, _ := start(t)
	room := task.Room{Channel: channel.Terminal, ID: "operator"}
	earlier, err := old.Post(t.Context(), room, channel.Message{Key: "k", Text: "Task one."}, false)
	if err != nil {
		t.Fatal(err)
	}
	term, s := start(t)
	if _, err := term.Post(t.Context(), room, channel.Message{Key: "k", Text: "Task two."}, false); err != nil {
		t.Fatal(err)
	}
	err = term.Edit(t.Context(), earlier, channel.Message{Key: "k", Text: "Task one has ended."})
	if fault.KindOf(err) != fault.NotFound || strings.Contains(s.String(), "Task one") {
		t.Errorf("%v, shown %s", err, s)
	}
}
