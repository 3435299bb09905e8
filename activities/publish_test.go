package activities

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func (b *bench) push(in PushInput) string {
	b.t.Helper()
	in.Ref = b.ref
	var head string
	must(b.t, b.attempt().run(b.PushBranch, in, &head))
	return head
}

func TestPushAgainAndAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	branch := "refs/heads/" + b.made.Branch
	if !strings.HasPrefix(b.made.Branch, "longshift/fix-the-sum-") {
		t.Errorf("the branch is %s", b.made.Branch)
	}
	for i, name := range []string{"one.go", "two.go"} {
		gittest.Write(t, b.work(), map[string]string{name: "package calc\n"})
		b.commit(i+1, nil)
		head := b.push(PushInput{})
		refs := gittest.Refs(t, b.remote)
		if again := b.push(PushInput{}); head != b.checkpoint() || gittest.Ref(t, b.remote, branch) != head || again != head {
			t.Errorf("pushed %s, then %s; on the remote %v", head, again, refs)
		}
	}
	squashed := b.push(PushInput{Squash: "feat: sums", BaseRef: b.made.BaseCommit})
	if again := b.push(PushInput{Squash: "feat: sums", BaseRef: b.made.BaseCommit}); again != squashed {
		t.Errorf("squashed %s, then %s", squashed, again)
	}
	log := gittest.Git(t, b.remote, "log", "--format=%s", b.made.BaseCommit+".."+branch)
	if log != "feat: sums" || b.checkpoint() != squashed || gittest.Ref(t, b.remote, branch) != squashed {
		t.Errorf("one commit is %s with log %q; checkpoint %s", squashed, log, b.checkpoint())
	}
	for range 2 {
		must(t, b.attempt().run(b.CleanUp, CleanInput{b.ref}, nil))
		if refs := gittest.Refs(t, b.remote); len(refs) != 2 || refs[branch] != squashed {
			t.Errorf("after the clean-up the remote has %v", refs)
		}
	}
	err := b.attempt().run(b.PushBranch, PushInput{Ref: b.ref}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.NotFound) {
		t.Errorf("a push without a workspace: %s: %s", app.Type(), app.Message())
	}
}

func TestCleanUpOfNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	must(t, b.attempt().run(b.CleanUp, CleanInput{b.ref}, nil))
	err := b.attempt().run(b.CleanUp, CleanInput{Ref{TaskID: "../x", Fence: 1}}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.Input) {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
}

// recordingForge is a forge that records the requests for pull requests.
type recordingForge struct {
	asked []forge.Request
	err   error
}

func (d *recordingForge) EnsurePullRequest(_ context.Context, r forge.Request) (forge.PullRequest, error) {
	d.asked = append(d.asked, r)
	return forge.PullRequest{Number: 7, URL: "https://example.com/pull/7", Found: len(d.asked) > 1}, d.err
}

func TestOpenPullRequest(t *testing.T) {
	t.Parallel()
	d := &recordingForge{}
	c := &PullRequests{web: "http://localhost:8233", forge: func(_ context.Context, r task.Repository) (forge.Forge, error) {
		if r.Name != "calc" {
			return nil, fault.New(fault.Input, "repository %q is on no forge that is set up", r.Text)
		}
		return d, nil
	}}
	in := PullRequestInput{Ref: Ref{TaskID: "t1", Fence: 2}, Repository: task.Repository{Owner: "ann", Name: "calc"},
		Head: "longshift/x", HeadCommit: "abc", Base: "main", Draft: true, Labels: []string{"bot"}, Reviewers: []string{"ben"},
		Summary: forge.Summary{Title: "Add sums", Task: "add sums", RunURL: "https://elsewhere.example.com"}}
	a := newAttempt(t, nil)
	a.workflow = "ann/calc #7"
	var pr forge.PullRequest
	must(t, a.run(c.OpenPullRequest, in, &pr))
	r := d.asked[0]
	if pr.Number != 7 || r.TaskID != "t1" || r.Fence != 2 || r.Head != "longshift/x" || r.HeadCommit != "abc" || r.Base != "main" ||
		!r.Draft || r.Labels[0] != "bot" || r.Reviewers[0] != "ben" || r.Title != "Add sums" || r.Repository.Name != "calc" {
		t.Errorf("asked for %+v", r)
	}
	link := "<http://localhost:8233/namespaces/default-test-namespace/workflows/ann%2Fcalc%20%237/default-test-run-id/user-metadata>"
	if !strings.Contains(r.Body, link) || strings.Contains(r.Body, "elsewhere") {
		t.Errorf("the text has no link %s:\n%s", link, r.Body)
	}
	control := &Control{Forge: c.forge}
	must(t, newAttempt(t, nil).run(control.CheckForge, in.Repository, nil))
	c.web = ""
	must(t, newAttempt(t, nil).run(c.OpenPullRequest, in, nil))
	if strings.Contains(d.asked[1].Body, "workflows/") {
		t.Errorf("a link to nowhere:\n%s", d.asked[1].Body)
	}
	d.err = &fault.Later{After: 90 * time.Second, Err: fault.New(fault.Infra, "limit of the token %s", secret)}
	app := applicationError(t, newAttempt(t, redact.New(secret)).run(c.OpenPullRequest, in, nil))
	if app.NextRetryDelay() != 90*time.Second || app.NonRetryable() || app.Type() != string(fault.Infra) ||
		app.Message() != "open the pull request: limit of the token [hidden] (again in 1m30s)" {
		t.Errorf("%s after %s: %s", app.Type(), app.NextRetryDelay(), app.Message())
	}
	in.Repository.Name = "other"
	for _, err := range []error{newAttempt(t, nil).run(c.OpenPullRequest, in, nil), newAttempt(t, nil).run(control.CheckForge, in.Repository, nil)} {
		if app := applicationError(t, err); app.Type() != string(fault.Input) || !app.NonRetryable() {
			t.Errorf("no forge: %s: %s", app.Type(), app.Message())
		}
	}
}

// A secret in what was asked for is hidden in the pull request, which is opened: the work has been done and paid for.
func TestOpenPullRequestHidesSecrets(t *testing.T) {
	t.Parallel()
	d := &recordingForge{}
	c := &PullRequests{redact: redact.New(secret), forge: func(context.Context, task.Repository) (forge.Forge, error) { return d, nil }}
	in := PullRequestInput{Ref: Ref{TaskID: "t1", Fence: 2}, Repository: task.Repository{Owner: "ann", Name: "calc"}, Head: "longshift/x",
		Summary: forge.Summary{Task: "mend the login of the service, which takes the token " + secret + " alone",
			Checks: []forge.Check{{Command: "TOKEN=" + secret + " make test", Passed: true}}}}
	must(t, newAttempt(t, nil).run(c.OpenPullRequest, in, nil))
	r := d.asked[0]
	if strings.Contains(r.Title+r.Body, secret[:10]) || !strings.Contains(r.Title, "[hidden]") || !strings.Contains(r.Body, "make test") {
		t.Errorf("the title is %q, and the text:\n%s", r.Title, r.Body)
	}
}

// A branch without the reviewed head is not pushed, whatever the workspace holds.
func TestPushHoldsWhatWasReviewed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"one.go": "package calc\n"})
	b.commit(1, nil)
	other := gittest.Commit(t, b.remote, "other", "Other", map[string]string{"other.txt": "x"})
	for _, squash := range []string{"", "feat: sums"} {
		err := b.attempt().run(b.PushBranch, PushInput{Ref: b.ref, Reviewed: other, Squash: squash, BaseRef: b.made.BaseCommit}, nil)
		if app := applicationError(t, err); app.Type() != string(fault.Changed) || !strings.Contains(app.Message(), other[:10]) {
			t.Errorf("%s: %s", app.Type(), app.Message())
		}
	}
	if refs := gittest.Refs(t, b.remote); refs["refs/heads/"+b.made.Branch] != "" {
		t.Errorf("it was pushed: %v", refs)
	}
	reviewed := b.checkpoint()
	for _, squash := range []string{"", "feat: sums", "feat: sums"} { // the last one as after a lost answer
		if head := b.push(PushInput{Reviewed: reviewed, Squash: squash, BaseRef: b.made.BaseCommit}); head != b.checkpoint() {
			t.Errorf("pushed %s", head)
		}
	}
}
