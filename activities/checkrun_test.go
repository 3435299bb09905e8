package activities

import (
	"context"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// billboard is a forge that may take check runs.
type billboard struct {
	lookout
	takes bool
	runs  []forge.CheckRun
}

func (b *billboard) WritesCheckRuns() bool { return b.takes }
func (b *billboard) WriteCheckRun(_ context.Context, _ task.Repository, c forge.CheckRun) error {
	b.runs = append(b.runs, c)
	return nil
}

// A check run says what the work came to, without secrets; where the login can't write one, nothing is tried.
func TestWriteCheckRun(t *testing.T) {
	const secret = "sk-very-secret-value-1"
	b := &billboard{takes: true}
	c := b.pulls()
	c.web = "http://127.0.0.1:8233"
	c.forge = func(context.Context, task.Repository) (forge.Forge, error) { return b, nil }
	in := CheckRunInput{Repository: web, TaskID: "t1", Commit: "abc", N: 2, Standing: forge.Standing{State: forge.Worked, Detail: secret,
		Summary: forge.Summary{Checks: []forge.Check{{Command: "test " + secret, Exit: 1, Tail: secret}}},
		Log:     []task.Entry{{Kind: "output", Text: secret}}}}
	must(t, newAttempt(t, nil).run(c.WriteCheckRun, in, nil))
	got := b.runs[0]
	if strings.Contains(got.Title+got.Summary+got.Text, "secret") {
		t.Errorf("a secret is published: %+v", got)
	}
	if got.Conclusion != forge.Failure || got.Commit != "abc" || got.Key != "longshift/t1/2" || !strings.HasPrefix(got.URL, c.web) {
		t.Errorf("%+v", got)
	}
	b.takes = false
	app := applicationError(t, newAttempt(t, nil).run(c.WriteCheckRun, in, nil))
	if app.Type() != string(fault.Denied) || !app.NonRetryable() || len(b.runs) != 1 {
		t.Errorf("%v", app)
	}
}

// The pull request tells whether it can have check runs.
func TestOpenTellsOfCheckRuns(t *testing.T) {
	for _, takes := range []bool{true, false} {
		b := &billboard{takes: takes}
		c := b.pulls()
		c.forge = func(context.Context, task.Repository) (forge.Forge, error) { return b, nil }
		var pr forge.PullRequest
		must(t, newAttempt(t, nil).run(c.OpenPullRequest, PullRequestInput{Repository: web, Head: "longshift/x", Base: "main"}, &pr))
		if pr.CheckRuns != takes {
			t.Errorf("%+v", pr)
		}
	}
}
