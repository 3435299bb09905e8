package tasks

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A command that waits is shown with what an approval is bound to.
func TestFilesOfACommandAreShown(t *testing.T) {
	s := &signals.Status{Questions: []signals.Question{{ID: "4f2a91c0", Command: "sh deploy.sh", Role: task.Implementer, Rule: "x", Reason: "not known",
		Files: []signals.File{{Path: "deploy.sh", Sum: "12ab"}, {Path: "/tmp/x\u202e"}}, Changed: []string{"deploy.sh"}}}}
	clitest.Wants(t, questionsText(s, time.Now()), "rule x: not known\n  Changed since it was last asked: deploy.sh. An approval is bound to the content of deploy.sh (12ab). It can't be bound to the content of /tmp/x.")
}

// A push that waits is shown with all that is in it, and with what lets it go on: `resume` does not.
func TestPushThatWaitsIsShown(t *testing.T) {
	s := &signals.Status{WorkflowID: "web-1", Phase: task.Suspended, Reason: signals.ReasonPush, NextAction: "`allow` or `deny` the push",
		Questions: []signals.Question{{ID: "push-4f2a", Command: "ci .github/workflows/a.yml: new\nci .github/workflows/b\u202e.yml: new",
			Rule: "sensitive.ci", Reason: "a person has to look"}}}
	clitest.Wants(t, questionsText(s, time.Now()), "push-4f2a  the branch would be pushed with these changes\n  ci .github/workflows/a.yml: new\n  ci .github/workflows/b.yml: new\n  rule sensitive.ci: a person has to look")
	text := SuspendedText(s)
	clitest.Wants(t, text, "Suspended: a push waits for approval")
	clitest.Wants(t, text, "longshift allow web-1 push-4f2a")
	clitest.Wants(t, text, "longshift deny web-1")
	if strings.Contains(text, "resume") {
		t.Errorf("says\n%s", text)
	}
	f := &follower{id: "web-1", clock: environ.Clock{Now: time.Now}}
	f.now.Status = s
	clitest.Wants(t, OutcomeText(&signals.Status{Outcome: task.Rejected, Review: &task.Review{Approved: true}}),
		"Rejected: nobody has allowed the branch to be pushed")
	clitest.Wants(t, OutcomeText(&signals.Status{Outcome: task.Rejected, Review: &task.Review{}}), "Rejected: the plan was not wanted")
	clitest.Wants(t, f.liveLine(), "⏳ A push waits for you · longshift allow web-1")
}

// The command that is shown for copying adds what the task has used up.
func TestResumeCanBeCopied(t *testing.T) {
	for why, command := range map[signals.Reason]string{signals.ReasonBudget: "longshift resume web-1 --add-cost 5",
		signals.ReasonTime: "longshift resume web-1 --add-time 30m", signals.ReasonQuota: "longshift resume web-1"} {
		s := &signals.Status{WorkflowID: "web-1", Phase: task.Suspended, Reason: why}
		f := &follower{id: "web-1", clock: environ.Clock{Now: time.Now}}
		f.now.Status = s
		clitest.Wants(t, SuspendedText(s), "\n  "+command+"    # --note")
		if line := f.liveLine(); !strings.HasSuffix(line, " · "+command) {
			t.Errorf("the live line of %s is %s", why, line)
		}
	}
}
