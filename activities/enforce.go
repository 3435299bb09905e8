package activities

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/loop"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// enforcer decides on the tool calls of one session, before they are made. It asks the loop detector, then policy, then a person where
// policy leaves the decision open. Each decision is written to the command log before it is returned.
type enforcer struct {
	in         SessionInput
	root       string // the workspace
	policy     *policy.Policy
	restorable func(path string) bool
	ask        func(ctx context.Context, q signals.Question) (signals.Answer, error)
	commands   *commandLog
	redact     *redact.Redactor
	log        *slog.Logger
	now        func() time.Time
	instead    agent.Permit // replaces it in tests; nil otherwise
	counted    bool         // somebody else counts the calls for a loop detector

	mu    sync.Mutex
	loops map[string]*loop.Detector // by sub-agent, "" for the session's own agent
	runs  map[string]running        // allowed calls, by their id
	lost  error                     // why a decision could not be written down
}

// running is an allowed call that has not ended.
type running struct {
	done  func(exit int, d time.Duration) // completes its record
	start time.Time
}

// decides returns the function that decides on the session's calls.
func (en *enforcer) decides() agent.Permit {
	if en.instead != nil {
		return en.instead
	}
	return en.permit
}

func (en *enforcer) permit(ctx context.Context, c agent.Call) agent.Decision {
	seen := en.see(c)
	verdict := en.judge(c)
	if seen.Level == loop.Stop {
		verdict = policy.Decision{Verdict: policy.Deny, Rule: "loop", Reason: seen.Text}
	}
	out := agent.Decision{Reason: verdict.Reason}
	by := ""
	switch verdict.Verdict {
	case policy.Allow:
		out = agent.Decision{Allow: true, Reason: seen.Text}
	case policy.Ask:
		out, by = en.person(ctx, c, verdict)
	}
	if seen.Level == loop.Stop {
		out.End = agent.Looped
	}
	if err := en.write(ctx, c, verdict, out, by); err != nil {
		en.log.ErrorContext(ctx, "the command log can't be written; nothing is let through", "error", err)
		en.mu.Lock()
		en.lost = fmt.Errorf("the command log can't be written, so no call was let through: %w", err)
		en.mu.Unlock()
		return agent.Decision{Reason: "the command log can't be written, so no call is let through", End: agent.Errored}
	}
	return out
}

// unwritten returns the error of a decision that could not be logged, or nil.
func (en *enforcer) unwritten() error {
	en.mu.Lock()
	defer en.mu.Unlock()
	return en.lost
}

// see counts the call for the loop detector of its conversation: sub-agents that work side by side all begin by looking at the same things.
func (en *enforcer) see(c agent.Call) loop.Verdict {
	if en.counted {
		return loop.Verdict{}
	}
	en.mu.Lock()
	defer en.mu.Unlock()
	if en.loops[c.Sub] == nil {
		en.loops[c.Sub] = &loop.Detector{}
	}
	return en.loops[c.Sub].See(c.Tool, c.Input)
}

// judge asks policy. For tools that take a path it follows links, which policy can't: it does not read the file system.
func (en *enforcer) judge(c agent.Call) policy.Decision {
	d := en.policy.Decide(policy.Request{Role: en.in.Role, Dir: c.Dir, Tool: c.Tool, Input: c.Input, Restorable: en.restorable})
	if d.Verdict == policy.Deny {
		return d
	}
	path, ok := pathOf(c)
	if !ok {
		return d
	}
	rel, err := agent.InTree(en.root, path)
	if err != nil && !writes(c.Tool) && en.readable(path) {
		return d
	}
	if err != nil {
		return policy.Decision{Verdict: policy.Deny, Rule: "path.link", Reason: err.Error()}
	}
	// The same rules hold for the target of the path.
	access := policy.Read
	if writes(c.Tool) {
		access = policy.Write
	}
	real := en.policy.Decide(policy.Request{Role: en.in.Role, Path: filepath.Join(en.root, rel), Access: access})
	if real.Verdict != policy.Allow {
		return real
	}
	return d
}

// readable tells whether a path, with its links followed, leads to something outside of the workspace that may be read: tool chains and
// their caches.
func (en *enforcer) readable(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(en.root, path)
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && en.policy.Decide(policy.Request{Role: en.in.Role, Path: real, Access: policy.Read}).Verdict == policy.Allow
}

// write puts the decision into the command log.
func (en *enforcer) write(ctx context.Context, c agent.Call, d policy.Decision, out agent.Decision, by string) error {
	decided := d.Verdict
	if d.Verdict == policy.Ask && out.End != agent.NeedsApproval { // a person has answered, or there was nobody to ask
		decided = policy.Deny
		if out.Allow {
			decided = policy.Allow
		}
	}
	reason := d.Reason
	if !out.Allow && out.Reason != "" {
		reason = out.Reason
	}
	done, err := en.commands.begin(context.WithoutCancel(ctx), audit.Record{
		Task: en.in.TaskID, Session: en.in.ID, Role: string(en.in.Role), Kind: audit.KindDecision, Tool: c.Tool, Dir: visible(en.below(c.Dir)),
		Command: shown(c), Decision: audit.Decision(decided), Rule: d.Rule, Reason: reason, ApprovedBy: by,
	})
	if err == nil && out.Allow && c.ID != "" {
		en.mu.Lock()
		en.runs[c.ID] = running{done, en.now()}
		en.mu.Unlock()
	}
	return err
}

// event completes the record of a call when its result arrives.
func (en *enforcer) event(e agent.Event) {
	if e.Kind != agent.ToolResult {
		return
	}
	en.mu.Lock()
	run, ok := en.runs[e.ID]
	delete(en.runs, e.ID)
	en.mu.Unlock()
	if ok {
		run.done(exitCode(e), en.now().Sub(run.start))
	}
}

// below returns a folder relative to the workspace, "" for its root.
func (en *enforcer) below(dir string) string {
	if rel, err := filepath.Rel(en.root, dir); err == nil && dir != "" && rel != "." {
		return rel
	}
	return ""
}
