package integration

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

const hookSecret = "a secret of the webhook"

// hidden is what no agent may be told, planOfHidden what the plan of one that is told says.
const (
	hidden       = "deletes the repository"
	planOfHidden = "hidden text of an issue has reached an agent"
)

// hooked is a stage that takes GitHub's webhooks.
type hooked struct {
	*lab.Stage
	url string
}

func newHooked(t *testing.T, settings string, env ...string) *hooked {
	t.Helper()
	port := lab.FreePort(t)
	script := afterwards()
	script.Rules = slices.Insert(script.Rules, 0, lab.Planning("hidden", hidden, planOfHidden)) // before all that would fit as well
	s := lab.NewScriptedStage(t, script, settings, append([]string{"LONGSHIFT_GITHUB_WEBHOOK_SECRET=" + hookSecret, "LONGSHIFT_GITHUB_REPOSITORIES=" + lab.Name,
		fmt.Sprintf("LONGSHIFT_LISTEN=127.0.0.1:%d", port), "LONGSHIFT_HEALTH=none"}, env...)...)
	s.GitHub.SetPermission(lab.Name, "ada", "write")
	s.GitHub.SetPermission(lab.Name, "eve", "read")
	h := &hooked{s, fmt.Sprintf("http://127.0.0.1:%d/webhooks/github", port)}
	lab.Eventually(t, 30*time.Second, "webhooks are taken", func() bool { return answered(h.url) })
	return h
}

// deliver sends a webhook as GitHub does.
func (h *hooked) deliver(event, shape string, fields map[string]any) int {
	h.T.Helper()
	repo := map[string]any{"full_name": lab.Name, "name": "calc", "id": 1}
	body := forgetest.Hook(h.T, shape, forgetest.With(map[string]any{"repository": repo, "sender": forgetest.Person("ada")}, fields))
	req, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		h.T.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(body)
	for name, value := range map[string]string{"Content-Type": "application/json", "X-GitHub-Event": event, "X-GitHub-Delivery": fmt.Sprint(time.Now().UnixNano()),
		"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil))} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.T.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// justNow is when it happened, as GitHub writes it: what is old is not carried out.
func justNow() string { return time.Now().UTC().Format(time.RFC3339) }

// labelled tells that an issue was labelled, with its text as it is: an issue whose text has changed since its label is not started.
func (h *hooked) labelled(number int, by, title, body string) int {
	return h.deliver("issues", "issues-labeled", map[string]any{"sender": forgetest.Person(by), "label": map[string]any{"name": "longshift"},
		"issue": map[string]any{"number": number, "state": "open", "updated_at": justNow(), "title": title, "body": body}})
}

func (h *hooked) commented(number int, id int64, by, text string) int {
	at := justNow()
	return h.deliver("issue_comment", "issue-comment-created", map[string]any{"sender": forgetest.Person(by),
		"issue":   map[string]any{"number": number, "state": "open", "updated_at": at, "user": forgetest.Person("ada")},
		"comment": map[string]any{"id": id, "user": forgetest.Person(by), "body": text, "created_at": at, "updated_at": at}})
}

// runs counts the runs of workflows by a query.
func (h *hooked) runs(query string) int {
	h.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := h.Client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
	if err != nil {
		h.T.Fatal(err)
	}
	return int(r.Count)
}

func issueTask(number int) string { return signals.IssueTaskID("127.0.0.1", "acme", "calc", number) }

func (h *hooked) untilTask(id, what string, ok func(signals.Status) bool) signals.Status {
	return untilPull(h.Stage, id, what, ok)
}

// An issue that is labelled is one run, however often, in whatever order and by whatever way it is told.
func TestIssueByWebhook(t *testing.T) {
	t.Parallel()
	h := newHooked(t, strings.Replace(lab.QuickSettings, "after: 1s", "mode: required", 1), "LONGSHIFT_GITHUB_POLL=1s")
	const title, body = "Add is wrong", "It subtracts. <!-- and " + hidden + " -->"
	issue := h.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: title, Body: body, Author: "eve"})
	h.GitHub.Label(lab.Name, issue, "ada", "longshift")
	tell := h.GitHub.CommentOn(lab.Name, issue, "ada", "/longshift use a plus sign")
	h.commented(issue, tell, "ada", "/longshift use a plus sign") // before the task is there
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if status := h.labelled(issue, "ada", title, body); status != http.StatusAccepted {
				t.Errorf("a delivery is answered with %d", status)
			}
		})
	}
	wg.Wait()
	id := issueTask(issue)
	h.untilTask(id, "the plan waits", func(s signals.Status) bool { return s.Phase == task.Approving })
	strangers := h.GitHub.CommentOn(lab.Name, issue, "eve", "/longshift approve")
	h.commented(issue, strangers, "eve", "/longshift approve")
	approve := h.GitHub.CommentOn(lab.Name, issue, "ada", "/longshift approve")
	for range 3 {
		h.commented(issue, approve, "ada", "/longshift approve")
	}
	end := h.untilTask(id, "the task ends", func(s signals.Status) bool { return s.Outcome == task.PullRequest })
	if end.RequestedBy != "ada" || strings.Count(lab.Log(end), "approved by ada") != 1 || strings.Contains(lab.Log(end), "eve") {
		t.Errorf("asked for by %s%s", end.RequestedBy, lab.Log(end))
	}
	h.labelled(issue, "ada", title, body) // long after: the run has ended, and there is no second one
	lab.Eventually(t, 30*time.Second, "the commands are marked as heard", func() bool { return len(h.GitHub.Reactions(lab.Name, approve)) == 1 })
	if n := h.runs("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs for one issue", n)
	}
	if n := len(h.GitHub.Reactions(lab.Name, strangers)); n != 0 {
		t.Error("a stranger's command is marked as heard")
	}
	if pulls := h.GitHub.Pulls(lab.Name); len(pulls) != 1 || !strings.Contains(pulls[0].Body, fmt.Sprintf("#%d", issue)) {
		t.Errorf("pull requests %+v", pulls)
	}
	if end.Plan.Summary == planOfHidden {
		t.Error(planOfHidden)
	}
	const flood = 40 // more than one person gets in a minute
	h.GitHub.SetPermission(lab.Name, "mallory", "read")
	arrivals := "WorkflowId STARTS_WITH '" + signals.ArrivalID("comment-90000") + "'"
	for range 2 { // the second time nothing is new
		for i := range flood {
			if status := h.commented(issue, int64(9_000_000+i), "mallory", "/longshift status"); status != http.StatusAccepted {
				t.Fatalf("comment %d of many is answered with %d", i, status)
			}
		}
	}
	lab.Eventually(t, 30*time.Second, "each comment waits or is carried out", func() bool {
		return h.runs(arrivals) == flood && h.runs(arrivals+" AND ExecutionStatus = 'Running'") == flood-30
	})
}

// A webhook that is lost is found by the poll: the label, the command, and what is said at the pull request.
func TestLostWebhooks(t *testing.T) {
	t.Parallel()
	h := newHooked(t, strings.Replace(followed, "after: 1s", "mode: required", 1), "LONGSHIFT_GITHUB_POLL=1s")
	issue := h.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: "Add is wrong", Body: "It subtracts.", Author: "ada"})
	h.GitHub.Label(lab.Name, issue, "ada", "longshift")
	id := issueTask(issue)
	h.untilTask(id, "the plan waits", func(s signals.Status) bool { return s.Phase == task.Approving })
	h.Worker.Kill() // and with it the poll
	approve := h.GitHub.CommentOn(lab.Name, issue, "ada", "/longshift approve")
	h.Worker.Start()
	end := h.untilTask(id, "the task ends", func(s signals.Status) bool { return s.Outcome == task.PullRequest })
	if n := len(h.GitHub.Reactions(lab.Name, approve)); n != 1 {
		t.Errorf("%d reactions to one command", n)
	}
	head := gittest.Git(t, h.Bare, "rev-parse", end.Branch)
	h.GitHub.SetCheck(lab.Name, forgetest.Check{Name: "lint", Head: head, Conclusion: "failure", Job: true, Log: lintLog})
	lab.Eventually(t, 60*time.Second, "a round has pushed", func() bool { return gittest.Git(t, h.Bare, "rev-parse", end.Branch) != head })
	if n := h.runs("WorkflowType = 'CodingTask'"); n != 1 {
		t.Errorf("%d runs for one issue", n)
	}
}

// A webhook wakes what looks after a pull request at once, long before the next poll; its own comments and pushes do not.
func TestWebhookWakes(t *testing.T) {
	t.Parallel()
	h := newHooked(t, lab.QuickSettings+"pullRequest:\n  poll: 1h\n  batch: 1s\n", "LONGSHIFT_GITHUB_POLL=0s")
	h.Play()
	end := h.Ended()
	number, pull := end.PullRequest.Number, signals.PullRequestID("127.0.0.1", "acme", "calc", end.PullRequest.Number)
	h.untilTask(pull, "it is looked after", func(s signals.Status) bool { return s.Phase == task.Following })
	// The first poll has ended: one that reads the review and not yet the check would make two rounds.
	lab.Eventually(t, time.Minute, "the first poll has ended", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		d, err := h.Client.DescribeWorkflowExecution(ctx, pull, "")
		return err == nil && len(d.PendingActivities) == 0
	})
	_, lines := h.GitHub.AddReview(lab.Name, number, forgetest.Review{By: "ada", State: "COMMENTED", Lines: []forgetest.Comment{{Path: "calc.go", Line: 5, Body: "Names?"}}})
	h.GitHub.SetCheck(lab.Name, forgetest.Check{Name: "lint", Head: end.Head, Conclusion: "failure", Job: true, Log: lintLog})
	for range 3 {
		if status := h.deliver("pull_request_review", "pull-request-review-submitted", map[string]any{
			"pull_request": map[string]any{"number": number}, "review": map[string]any{"user": forgetest.Person("ada")}}); status != http.StatusAccepted {
			t.Errorf("a review is answered with %d", status)
		}
	}
	st := h.untilTask(pull, "the round is done", func(s signals.Status) bool {
		return s.Rounds == 1 && s.Phase == task.Following && answeredAll(h.Stage, number, lines)
	})
	if n := strings.Count(lab.Log(st), "round 1"); n != 1 {
		t.Errorf("three deliveries made %d rounds%s", n, lab.Log(st))
	}
}
