package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func (p *program) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show <task>",
		Short:             "Show everything about one task: plan, sessions, checks, review, links",
		Example:           "  longshift show x1y2z3\n  longshift show acme-web-fix-login-x1y2z3 -o json | jq .plan",
		Args:              takes(1, 1, "the task"),
		ValidArgsFunction: p.completeTask,
		Annotations:       exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:              func(c *cobra.Command, args []string) error { return p.show(c.Context(), args[0]) },
	}
}

func (p *program) show(ctx context.Context, given string) error {
	c, f, err := p.lookUp(ctx, given)
	if err != nil {
		return err
	}
	s, err := p.once(ctx, c, f)
	if err != nil {
		return err
	}
	return p.print(s.status, func() string { return p.showText(s) })
}

func (p *program) showText(s snapshot) string {
	status := s.status
	var b strings.Builder
	b.WriteString(p.statusText(s))
	if status.Plan != nil {
		b.WriteString(planText(status.Plan))
	}
	if len(status.Sessions) > 0 {
		b.WriteString("\nSessions\n" + indentAll(sessionTable(status, p.clock.now())))
	}
	for _, c := range []struct {
		title string
		check *signals.Check
	}{{"Setup", status.Setup}, {"Check", status.Check}} {
		b.WriteString(checkReport(c.title, c.check))
	}
	if r := status.Review; r != nil {
		verdict := "changes requested"
		if r.Approved {
			verdict = "approved"
		}
		fmt.Fprintf(&b, "\nReview: %s\n", verdict)
		if r.Text != "" {
			fmt.Fprintf(&b, "  %s\n", indent(plain(r.Text), 2))
		}
	}
	if len(status.Commits) > 0 {
		b.WriteString("\nCommits\n")
		for _, c := range status.Commits {
			fmt.Fprintf(&b, "  %.10s  %s\n", oneLine(c.ID), oneLine(c.Subject))
		}
	}
	if status.PullRequest != nil {
		fmt.Fprintf(&b, "\nPull request\n  %s\n", oneLine(status.PullRequest.URL))
	}
	return b.String()
}

func sessionTable(status *signals.Status, now time.Time) string {
	rows := make([][]string, 0, len(status.Sessions))
	for _, s := range status.Sessions {
		took, outcome := duration(s.Duration), s.Outcome
		switch {
		case outcome == "" && isEnded(status):
			took, outcome = "-", "cut off"
		case outcome == "":
			took, outcome = sinceText(now, s.Started), "running"
		}
		if s.Resumed > 0 {
			outcome += fmt.Sprintf(", resumed %d times", s.Resumed)
		}
		rows = append(rows, []string{fmt.Sprint(s.N), string(s.Role), cmp.Or(oneLine(s.Deliverable), "-"), outcome, took, fmt.Sprint(s.Turns), usd(s.Usage.CostUSD), oneLine(s.Host)})
	}
	return table([]string{"N", "ROLE", "DELIVERABLE", "OUTCOME", "TOOK", "TURNS", "COST", "HOST"}, rows)
}

func checkReport(title string, c *signals.Check) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("\n%s: %s\n", title, checkText(c))
	if !c.Passed() && c.Tail != "" {
		lines := strings.Split(strings.TrimRight(plain(c.Tail), "\n"), "\n")
		text += indentAll(strings.Join(lines[max(0, len(lines)-20):], "\n") + "\n")
	}
	return text
}

// indentAll puts every line two spaces in.
func indentAll(s string) string {
	return "  " + indent(s, 2) + "\n"
}
