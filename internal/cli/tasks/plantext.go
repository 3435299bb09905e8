package tasks

import (
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// PlanText is a plan for people.
func PlanText(plan *task.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nPlan, revision %d: %s\n", plan.Revision, term.Indent(plan.Summary, 2))
	paragraph(&b, "Approach", plan.Approach)
	list(&b, "Files", plan.Files)
	list(&b, "Risks", plan.Risks)
	paragraph(&b, "Evidence", plan.Evidence)
	paragraph(&b, "Size", strings.Join(append([]string{plan.Size()}, plan.Split...), "\n- "))
	list(&b, "No longer asked for", plan.Deprecated)
	deliverables(&b, plan.Deliverables)
	return term.Plain(b.String())
}

func paragraph(b *strings.Builder, title, text string) {
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(b, "  %s\n    %s\n", title, term.Indent(strings.TrimSpace(text), 4))
	}
}

func list(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s\n", title)
	for _, item := range items {
		fmt.Fprintf(b, "    - %s\n", term.Indent(strings.TrimSpace(item), 6))
	}
}

func deliverables(b *strings.Builder, all []task.Deliverable) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "  Deliverables\n")
	for _, d := range all {
		fmt.Fprintf(b, "    [%s] %s  %s\n", box(d.Status), d.ID, term.Indent(d.Description, 8))
		for _, a := range d.Acceptance {
			fmt.Fprintf(b, "        - %s\n", term.Indent(a, 10))
		}
		if d.Proof != "" {
			fmt.Fprintf(b, "        proof: %s\n", term.Indent(d.Proof, 10))
		}
		if d.Proved != nil {
			fmt.Fprintf(b, "        its proof %s\n", d.Proved)
		}
		if d.Reason != "" {
			fmt.Fprintf(b, "        blocked: %s\n", term.Indent(d.Reason, 10))
		}
	}
}

func box(s task.Status) string {
	switch s {
	case task.Passed:
		return "x"
	case task.Blocked:
		return "!"
	case task.Pending:
	}
	return " "
}

// decideText says until when a plan waits for a decision, and names the commands that decide unless the task ends with this one.
func decideText(id string, status *signals.Status, now time.Time, ends bool) string {
	until := "it waits until somebody decides"
	if status.WaitingUntil.After(now) {
		until = fmt.Sprintf("it is approved automatically at %s, in %s",
			status.WaitingUntil.Local().Format("15:04:05"), term.Remaining(status.WaitingUntil.Sub(now)))
	}
	text := fmt.Sprintf("Plan %d waits for a decision; %s", status.Plan.Revision, until)
	if ends {
		return text + "\n"
	}
	return text + fmt.Sprintf(":\n  longshift approve %s\n  longshift edit %s \"what is to change\"\n  longshift reject %s\n", id, id, id)
}

// waitLeft is the countdown of an approval.
func waitLeft(status *signals.Status, now time.Time) string {
	if status.WaitingUntil.IsZero() {
		return "waits for you"
	}
	return "is approved automatically in " + term.Duration(status.WaitingUntil.Sub(now))
}
