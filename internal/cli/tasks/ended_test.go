package tasks

import (
	"regexp"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A task whose input was refused has never begun, so there is nothing to say of how long it took.
func TestARefusedInputTookNoTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := &signals.Status{WorkflowID: "x", Outcome: task.Failed, Detail: "input: task is missing"}
	if text := SummaryText(s, now); strings.Contains(text, "Duration") || !strings.Contains(text, "task is missing") {
		t.Errorf("it says\n%s", text)
	}
	s.Started = now.Add(-90 * time.Second)
	s.Findings = []task.Entry{{Text: "a.go: it leaks"}, {Text: "b.go: it hangs"}}
	if text := SummaryText(s, now); !strings.Contains(text, "Findings  a.go: it leaks\n            b.go: it hangs\n") {
		t.Errorf("findings are not named:\n%s", text)
	}
	s.Findings = nil
	if text := SummaryText(s, now); !strings.Contains(text, "Duration  1m 30s") {
		t.Errorf("it says\n%s", text)
	}
}

// In a folder, git knows the branch of a task once there is a pull request; until then its commits are taken by our own commands. The text of
// that pull request, with its warnings, is on no page: git shows it too.
func TestWorkIsTakenFromWhereItIs(t *testing.T) {
	t.Parallel()
	s := &signals.Status{WorkflowID: "x", Outcome: task.MaxIterations, Repository: "/src/web", Base: "main", Branch: "longshift/x",
		Commits: []signals.Commit{{ID: "c0ffee"}}}
	if text := SummaryText(s, time.Now()); !strings.Contains(text, "longshift diff x") || !strings.Contains(text, "longshift checkout x") {
		t.Errorf("without a pull request it says\n%s", text)
	}
	dir := forgetest.NewRepository(t)
	pull, err := local.New(local.Config{}).EnsurePullRequest(t.Context(), forge.Request{Repository: task.Repository{Text: dir, Path: dir},
		TaskID: "x", Fence: 1, Head: "longshift/x", HeadCommit: forgetest.AddBranch(t, dir, "longshift/x", "main"), Base: "main",
		Title: "Greet", Body: "> **The check ran no tests**"})
	if err != nil {
		t.Fatal(err)
	}
	s.Repository, s.PullRequest = dir, &signals.PullRequest{Number: pull.Number, URL: pull.URL}
	text := SummaryText(s, time.Now())
	clitest.Wants(t, text, "git diff main...longshift/x", "git merge longshift/x")
	read := regexp.MustCompile(`(?m)^  Read +git (.+)$`).FindStringSubmatch(text)
	if read == nil {
		t.Fatalf("no command shows the text of the pull request:\n%s", text)
	}
	clitest.Wants(t, forgetest.Git(t, dir, "", strings.Fields(read[1])...), "> **The check ran no tests**")
}

// What is recommended for an ended task works for it: only one with a pull request has a branch to start from.
func TestEndedTaskSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	for pull, want := range map[string]string{"": "`longshift retry`", "https://example.com/7": "`longshift follow-up`"} {
		f := Found{ID: "x", row: Row{Outcome: task.Abandoned, PullRequest: pull}}
		if hint := fault.HintOf(f.StillRunning()); !strings.Contains(hint, want) {
			t.Errorf("pull request %q: %s", pull, hint)
		}
	}
}

// Nobody is needed for a task that has ended, whatever it had said last: one that was terminated could not say more.
func TestAnEndedTaskNeedsNobody(t *testing.T) {
	t.Parallel()
	attrs := map[string]*commonpb.Payload{}
	for name, value := range map[string]any{signals.AttrNeedsHuman: true, signals.AttrWaitingUntil: time.Now().Add(time.Hour)} {
		p, err := converter.GetDefaultDataConverter().ToPayload(value)
		if err != nil {
			t.Fatal(err)
		}
		attrs[name] = p
	}
	for status, needed := range map[enumspb.WorkflowExecutionStatus]bool{
		enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING: true, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED: false,
	} {
		r := readRow(&workflowpb.WorkflowExecutionInfo{Status: status, SearchAttributes: &commonpb.SearchAttributes{IndexedFields: attrs}})
		if r.NeedsHuman != needed || r.WaitingUntil.IsZero() == needed {
			t.Errorf("%s: needs a person %t, waits until %s", status, r.NeedsHuman, r.WaitingUntil)
		}
	}
}
