package activities

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// board is a wall on which files can be put.
type board struct {
	wall
	files   []channel.File
	at      []task.Room
	looked  bool // for an earlier file
	refuses error
}

func (b *board) Attach(_ context.Context, to task.Room, f channel.File, again bool) error {
	if b.refuses != nil {
		return b.refuses
	}
	b.files, b.at, b.looked = append(b.files, f), append(b.at, to), again
	return nil
}

// patches is a forge with one diff.
type patches struct {
	forge.Forge
	text string
	err  error
	of   string
}

func (p *patches) Diff(_ context.Context, r task.Repository, number, most int) (string, error) {
	p.of = r.Text
	return p.text[:min(most, len(p.text))], p.err
}

const keyInDiff = "sk-very-secret-value-1"

// showEnd shows the end of a task with pull request #7.
func showEnd(t *testing.T, b *board, p *patches, number int32, change func(s *signals.Status, in *ShowInput)) error {
	t.Helper()
	s := told()
	s.Phase, s.Outcome = task.Ended, task.PullRequest
	s.PullRequest = &signals.PullRequest{Number: 7, URL: "https://github.com/acme/web/pull/7"}
	in := ShowInput{Room: anyRoom, Key: "k", Notice: signals.Notice{Subject: signals.SubjectEnd}}
	if change != nil {
		change(&s, &in)
	}
	c := &Messages{channels: map[string]channel.Channel{"slack": b}, redact: redact.New(keyInDiff),
		forge:  func(context.Context, task.Repository) (forge.Forge, error) { return p, nil },
		status: func(context.Context, signals.Notice) (signals.Status, error) { return s, nil }}
	a := newAttempt(t, nil)
	a.number = number
	return a.run(c.Show, in, nil)
}

func TestShowDiff(t *testing.T) {
	b, p := &board{}, &patches{text: "diff --git a/x b/x\n+key " + keyInDiff + "\n"}
	must(t, showEnd(t, b, p, 1, nil))
	if len(b.files) != 1 || p.of != "acme/web" || b.looked {
		t.Fatalf("files %+v of %q, looked for: %v", b.files, p.of, b.looked)
	}
	if f := b.files[0]; f.Key != "k.diff" || f.Name != "pull-request-7.diff" || f.Note != "What pull request #7 changes" ||
		!strings.HasPrefix(f.Text, "diff --git a/x b/x\n+key ") || strings.Contains(f.Text, keyInDiff) {
		t.Errorf("file %+v", f)
	}
	if want := (task.Room{Channel: "slack", ID: "C1", Thread: "1.2"}); b.at[0] != want { // below the message
		t.Errorf("it stands in %+v, want %+v", b.at[0], want)
	}
	must(t, showEnd(t, b, p, 2, func(_ *signals.Status, in *ShowInput) { in.Room.Thread = "0.9" }))
	if !b.looked || b.at[1].Thread != "0.9" {
		t.Errorf("the next attempt: looked for %v, in %+v", b.looked, b.at[1])
	}
}

// There is no diff of what is no pull request, and none when an old message changes.
func TestShowNoDiff(t *testing.T) {
	for name, change := range map[string]func(s *signals.Status, in *ShowInput){
		"merged":          func(s *signals.Status, _ *ShowInput) { s.Outcome = task.PullMerged },
		"closed":          func(s *signals.Status, _ *ShowInput) { s.Outcome = task.PullClosed },
		"no pull request": func(s *signals.Status, _ *ShowInput) { s.PullRequest = nil },
		"another subject": func(_ *signals.Status, in *ShowInput) { in.Notice.Subject = signals.SubjectStop },
		"an edit":         func(_ *signals.Status, in *ShowInput) { in.At = &task.MessageRef{Room: anyRoom, Message: "1"} },
	} {
		b := &board{}
		if err := showEnd(t, b, &patches{text: "diff"}, 1, change); err != nil || len(b.files) > 0 {
			t.Errorf("%s: %v, %+v", name, err, b.files)
		}
	}
	b := &board{}
	if err := showEnd(t, b, &patches{}, 1, nil); err != nil || len(b.files) > 0 || len(b.posted) != 1 {
		t.Errorf("an empty diff: %v, %+v", err, b.files)
	}
}

// A diff that is too long ends with a whole line and a note. A secret at the end of what was read does not leave.
func TestShowLongDiff(t *testing.T) {
	line := "+" + strings.Repeat("x", 98) + "\n"
	for name, text := range map[string]string{
		"a little too long":  strings.Repeat(line, mostDiff/len(line)+10),
		"much too long":      strings.Repeat(line, 2*mostDiff/len(line)),
		"a secret that ends": strings.Repeat("+"+keyInDiff+"\n", (mostDiff+diffMargin)/(len(keyInDiff)+2)+100),
	} {
		b := &board{}
		must(t, showEnd(t, b, &patches{text: text}, 1, nil))
		got := b.files[0].Text
		body, note, _ := strings.Cut(got, "[cut: ")
		if note != "the diff has more than 1 MB; the pull request has all of it]\n" || !strings.HasSuffix(body, "\n") || len(body) > mostDiff {
			t.Errorf("%s: %d bytes, then %q", name, len(body), note)
		}
		if strings.Contains(got, "sk-very") {
			t.Errorf("%s: a part of a secret has left", name)
		}
	}
}

// What can't be mended by another try is said in the thread, with the way out; the rest is tried again, but not for long.
func TestShowDiffFails(t *testing.T) {
	scope := fault.New(fault.Denied, "upload a file to Slack: missing_scope, needs files:write").
		WithHint("install the app again from its manifest")
	gone := fault.New(fault.Infra, "no answer of %s", keyInDiff)
	pause := func(d time.Duration) error { return &fault.Later{After: d, Err: gone} }
	for name, c := range map[string]struct {
		refuses, forge error
		number         int32
		again          bool
	}{
		"no scope":               {refuses: scope, number: 1},
		"too large":              {forge: fault.New(fault.Input, "GitHub: the diff is too large"), number: 1},
		"no answer":              {refuses: gone, number: 1, again: true},
		"no answer of the forge": {forge: gone, number: 3, again: true},
		"no answer for long":     {forge: gone, number: 4},
		"a short pause":          {refuses: pause(30 * time.Second), number: 1, again: true},
		"a long pause":           {forge: pause(time.Hour), number: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := &board{refuses: c.refuses}
			err := showEnd(t, b, &patches{text: "diff", err: c.forge}, c.number, nil)
			if (err != nil) != c.again {
				t.Fatalf("error %v", err)
			}
			if c.again {
				return
			}
			if len(b.posted) != 2 || b.posted[1].Key != "k.nodiff" || b.to[1].Thread != "1.2" || b.again != (c.number > 1) {
				t.Fatalf("posted %+v to %+v", b.posted, b.to)
			}
			said := b.posted[1].Text
			holds(t, said, "The diff is not here as a file: ")
			if strings.Contains(said, keyInDiff) {
				t.Errorf("a secret is shown: %s", said)
			}
			if c.refuses == scope {
				holds(t, channel.Plain(channel.Read(said)), "missing_scope, needs files:write. Install the app again from its manifest.")
			}
		})
	}
}
