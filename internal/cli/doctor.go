package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// The states of a check.
const (
	stateOK   = "ok"
	stateWarn = "warn" // works, but something is missing that may be wanted
	stateFail = "fail" // tasks will not work
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // the way out, when it is not ok
}

func (p *program) doctorCommand() *cobra.Command {
	var fix bool
	c := &cobra.Command{
		Use:         "doctor",
		Short:       "Check everything that tasks need on this machine and on the server",
		Long:        "Check everything that tasks need on this machine and on the server. Each line that is not ok names the way out.",
		Example:     "  longshift doctor\n  longshift doctor --fix\n  longshift doctor -o json | jq '.[] | select(.state != \"ok\")'",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.doctor(c.Context(), fix) },
	}
	c.Flags().BoolVar(&fix, "fix", false, "register missing search attributes")
	return c
}

func (p *program) doctor(ctx context.Context, fix bool) error {
	findings := p.checkMachine(ctx)
	if ctx.Err() != nil {
		return errInterrupted
	}
	findings = append(findings, p.checkServer(ctx, fix)...)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err := p.print(findings, func() string { return findingText(findings) }); err != nil {
		return err
	}
	for _, f := range findings {
		if f.State == stateFail {
			return exit{fault.ExitFailed}
		}
	}
	return nil
}

func findingText(findings []finding) string {
	wide := 0
	for _, f := range findings {
		wide = max(wide, len(f.Check))
	}
	text := ""
	for _, f := range findings {
		text += fmt.Sprintf("%-4s  %-*s  %s", f.State, wide, f.Check, oneLine(f.Detail))
		if f.Hint != "" {
			text += "; " + oneLine(f.Hint)
		}
		text += "\n"
	}
	return text
}

// failed makes a finding of an error.
func failed(check string, err error) finding {
	return finding{check, stateFail, err.Error(), fault.HintOf(err)}
}

// checkServer looks at the server and at who works for it. Without a server the rest is not asked.
func (p *program) checkServer(ctx context.Context, fix bool) []finding {
	c, err := p.client(ctx)
	if err != nil {
		return []finding{failed("server", err)}
	}
	findings := []finding{{Check: "server", State: stateOK, Detail: shownAddress(p.address)}}
	if err := p.checkNamespace(ctx, c); err != nil {
		return append(findings, failed("namespace", err))
	}
	findings = append(findings, finding{Check: "namespace", State: stateOK, Detail: p.namespace})
	findings = append(findings, p.checkSearchAttributes(ctx, c, fix))
	for _, q := range queuesOf(config.RoleAll) {
		findings = append(findings, p.checkQueue(ctx, c, q))
	}
	return findings
}

// checkQueue looks for a worker on a queue.
func (p *program) checkQueue(ctx context.Context, c client.Client, q queue) finding {
	check := "worker, " + q.what
	all, err := polls(ctx, c, q)
	if err != nil {
		return failed(check, p.explain(err, q.name))
	}
	var at time.Time
	for _, last := range all {
		if last.After(at) {
			at = last
		}
	}
	if at.IsZero() {
		return finding{check, stateFail, fmt.Sprintf("nobody polls the queue %s", q.name), "start one with `longshift dev` or longshift-worker"}
	}
	ago := p.clock.now().Sub(at)
	if ago > 2*answerWithin+upWithin {
		return finding{check, stateWarn, fmt.Sprintf("the queue %s was polled %s ago", q.name, age(ago)), "the worker may be gone; see its log"}
	}
	return finding{Check: check, State: stateOK, Detail: "polls the queue " + q.name}
}
