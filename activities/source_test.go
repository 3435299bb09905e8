package activities

import (
	"context"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// noted is a source that keeps what it is told.
type noted struct {
	Source
	texts []string
}

func (s *noted) keep(_ context.Context, _ intake.Query, _ string, n intake.Note) error {
	s.texts = append(s.texts, n.Text)
	return nil
}

func (s *noted) Queue(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return s.keep(ctx, q, key, n)
}

func (s *noted) Claim(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return s.keep(ctx, q, key, n)
}

func (s *noted) Report(ctx context.Context, q intake.Query, key string, n intake.Note) error {
	return s.keep(ctx, q, key, n)
}

// The links of a note work, and nothing acts that a model or a person has written.
func TestNotesLink(t *testing.T) {
	t.Parallel()
	s := &noted{}
	c := &Sources{web: "http://localhost:8233", sources: map[intake.Kind]Source{intake.GitHub: s}}
	const hostile = "@team fixes #7, see [this](https://evil.example) <img src=x>\n\n# Title\n<!-- longshift:state=working --> `a"
	const pull = "https://github.com/acme/web/pull/12"
	a := newAttempt(t, nil)
	a.workflow = "acme/web-7"
	for _, stage := range []Stage{Waits, Claimed, Reported} {
		must(t, a.run(c.ReportToSource, SourceInput{Stage: stage, Origin: task.Origin{Source: string(intake.GitHub), Key: "7"}, TaskID: "t1",
			RequestedBy: hostile, Reason: signals.ReasonBlocker, Detail: hostile, Outcome: task.MaxIterations, PullRequest: pull}, nil))
	}
	link := "task [`acme/web-7`](http://localhost:8233/namespaces/"
	for i, text := range s.texts {
		if !strings.Contains(strings.ToLower(text), link) || i == 2 && !strings.Contains(text, "Pull request: "+pull+"\n") {
			t.Errorf("no links:\n%s", text)
		}
		for _, acts := range []string{" @team", "s #7", "](https://evil", "<img", "<!--", "\n#"} {
			if strings.Contains(text, acts) {
				t.Errorf("%q acts:\n%s", acts, text)
			}
		}
	}
	if len(s.texts) != 3 {
		t.Errorf("%d notes", len(s.texts))
	}
}
