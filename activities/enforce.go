package activities

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/loop"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// warden decides on the tool calls of one session. A call goes through it before it is made: the loop detector, then policy,
// then, for what policy leaves open, a person; and each decision is written down before it is given.
type warden struct {
	in         SessionInput
	root       string // the workspace
	policy     *policy.Policy
	restorable func(path string) bool
	ask        func(ctx context.Context, q signals.Question) (signals.Answer, error)
	commands   *commandLog
	redact     *redact.Redactor
	log        *slog.Logger
	now        func() time.Time
	instead    agent.Permit // decides in its place, in tests; nil else

	mu    sync.Mutex
	loops loop.Detector
	runs  map[string]running // calls that were let through, by their id
	lost  error              // why a decision could not be written down
}

// running is a call that was let through.
type running struct {
	done  func(exit int, d time.Duration) // completes its record
	start time.Time
}

// decides gives what decides on the session's calls.
func (w *warden) decides() agent.Permit {
	if w.instead != nil {
		return w.instead
	}
	return w.permit
}

// permit is the session's agent.Permit.
func (w *warden) permit(ctx context.Context, c agent.Call) agent.Decision {
	seen := w.see(c)
	verdict := w.judge(c)
	if seen.Level == loop.Stop {
		verdict = policy.Decision{Verdict: policy.Deny, Rule: "loop", Reason: seen.Text}
	}
	out := agent.Decision{Reason: verdict.Reason}
	by := ""
	switch verdict.Verdict {
	case policy.Allow:
		out = agent.Decision{Allow: true, Reason: seen.Text}
	case policy.Ask:
		out, by = w.person(ctx, c, verdict)
	}
	if seen.Level == loop.Stop {
		out.End = agent.Looped
	}
	if err := w.write(ctx, c, verdict, out, by); err != nil {
		w.log.ErrorContext(ctx, "the command log can't be written; nothing is let through", "error", err)
		w.mu.Lock()
		w.lost = fmt.Errorf("the command log can't be written, so no call was let through: %w", err)
		w.mu.Unlock()
		return agent.Decision{Reason: "the command log can't be written, so no call is let through", End: agent.Errored}
	}
	return out
}

// unwritten gives why a decision could not be written down, nil when all were.
func (w *warden) unwritten() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// see counts the call for the loop detector.
func (w *warden) see(c agent.Call) loop.Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loops.See(c.Tool, c.Input)
}

// judge asks policy, and for tools that take a path follows it: policy knows no file system and so no links.
func (w *warden) judge(c agent.Call) policy.Decision {
	d := w.policy.Decide(policy.Request{Role: w.in.Role, Dir: c.Dir, Tool: c.Tool, Input: c.Input, Restorable: w.restorable})
	if d.Verdict == policy.Deny {
		return d
	}
	path, ok := pathOf(c)
	if !ok {
		return d
	}
	rel, err := agent.InTree(w.root, path)
	if err != nil && !writes(c.Tool) && w.readable(path) {
		return d
	}
	if err != nil {
		return policy.Decision{Verdict: policy.Deny, Rule: "path.link", Reason: err.Error()}
	}
	// What the path leads to is held to the same rules as what it says.
	access := policy.Read
	if writes(c.Tool) {
		access = policy.Write
	}
	if real := w.policy.Decide(policy.Request{Role: w.in.Role, Path: filepath.Join(w.root, rel), Access: access}); real.Verdict != policy.Allow {
		return real
	}
	return d
}

// readable tells whether a path leads to what may be read outside of the workspace, once its links are followed: tool chains and
// their caches.
func (w *warden) readable(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.root, path)
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && w.policy.Decide(policy.Request{Role: w.in.Role, Path: real, Access: policy.Read}).Verdict == policy.Allow
}

// write puts the decision into the command log.
func (w *warden) write(ctx context.Context, c agent.Call, d policy.Decision, out agent.Decision, by string) error {
	decided := d.Verdict
	if d.Verdict == policy.Ask && out.End != agent.NeedsApproval { // there was an answer, or nobody to ask
		decided = policy.Deny
		if out.Allow {
			decided = policy.Allow
		}
	}
	reason := d.Reason
	if !out.Allow && out.Reason != "" {
		reason = out.Reason
	}
	done, err := w.commands.begin(context.WithoutCancel(ctx), audit.Record{
		Task: w.in.TaskID, Session: w.in.ID, Role: string(w.in.Role), Kind: audit.KindDecision, Tool: c.Tool, Dir: visible(w.below(c.Dir)),
		Command: shown(c), Decision: audit.Decision(decided), Rule: d.Rule, Reason: reason, ApprovedBy: by,
	})
	if err == nil && out.Allow && c.ID != "" {
		w.mu.Lock()
		w.runs[c.ID] = running{done, w.now()}
		w.mu.Unlock()
	}
	return err
}

// event completes the record of a call when its result is there.
func (w *warden) event(e agent.Event) {
	if e.Kind != agent.ToolResult {
		return
	}
	w.mu.Lock()
	run, ok := w.runs[e.ID]
	delete(w.runs, e.ID)
	w.mu.Unlock()
	if ok {
		run.done(exitCode(e), w.now().Sub(run.start))
	}
}

// below shows a folder relative to the workspace, "" for its root.
func (w *warden) below(dir string) string {
	if rel, err := filepath.Rel(w.root, dir); err == nil && dir != "" && rel != "." {
		return rel
	}
	return ""
}
