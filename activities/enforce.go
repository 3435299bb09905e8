package activities

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/loop"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/signals"
)

// Ledger is where every decision and every run is written before it counts.
type Ledger interface {
	Append(ctx context.Context, r audit.Record) (id int64, err error)
	Finish(ctx context.Context, id int64, exit int, d time.Duration) error
}

// warden decides on the tool calls of one session. A call goes through it before it is made: the loop detector, then policy,
// then, for what policy leaves open, a person; and each decision is written down before it is given.
type warden struct {
	host       *Host
	in         SessionInput
	root       string // the workspace
	policy     *policy.Policy
	restorable func(path string) bool
	ask        func(ctx context.Context, q signals.Question) (signals.Answer, error)

	mu    sync.Mutex
	loops loop.Detector
	runs  map[string]running // calls that were let through, by their id
	lost  error              // why a decision could not be written down
}

// running is a call that was let through.
type running struct {
	record int64
	start  time.Time
}

// warden makes the session's warden. Its policy is the operator's, narrowed by the task's settings; what else the agent may read
// outside of the workspace are folders of ours, such as the caches of tool chains. home is where "~" leads.
func (r *sessionRun) warden(ctx context.Context, home string, readable ...string) (*warden, error) {
	c := r.host.policyFor(r.tree.Dir(), r.in.Commands, r.in.Paths)
	c.Home = home
	c.Readable = slices.Concat(r.host.Confine.Readable, readable)
	p, err := policy.New(c)
	if err != nil {
		return nil, fault.New(fault.Input, "the rules for commands: %w", err)
	}
	return &warden{host: r.host, in: r.in, root: r.tree.Dir(), policy: p, restorable: restorable(r.tree.Dir()),
		ask: newPeople(r.host.asker()).ask, runs: map[string]running{}}, nil
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
		w.host.Log.ErrorContext(ctx, "the command log can't be written; nothing is let through", "error", err)
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
	if w.host.Audit == nil {
		return nil
	}
	decided := string(d.Verdict)
	if d.Verdict == policy.Ask && out.End != agent.NeedsApproval { // there was an answer, or nobody to ask
		decided = string(policy.Deny)
		if out.Allow {
			decided = string(policy.Allow)
		}
	}
	reason := d.Reason
	if !out.Allow && out.Reason != "" {
		reason = out.Reason
	}
	id, err := w.host.Audit.Append(context.WithoutCancel(ctx), audit.Record{
		Time: w.host.Now(), Task: w.in.TaskID, Session: w.in.ID, Role: string(w.in.Role), Host: w.host.ID, Kind: audit.KindDecision, Tool: c.Tool,
		Dir: w.host.Redact.String(visible(w.below(c.Dir))), Command: w.host.Redact.String(shown(c)), Decision: audit.Decision(decided), Rule: d.Rule, Reason: w.host.Redact.String(reason), ApprovedBy: by,
	})
	if err == nil && out.Allow && c.ID != "" {
		w.mu.Lock()
		w.runs[c.ID] = running{id, w.host.Now()}
		w.mu.Unlock()
	}
	return err
}

// event completes the record of a call when its result is there.
func (w *warden) event(e agent.Event) {
	if e.Kind != agent.ToolResult || w.host.Audit == nil {
		return
	}
	w.mu.Lock()
	run, ok := w.runs[e.ID]
	delete(w.runs, e.ID)
	w.mu.Unlock()
	if !ok {
		return
	}
	err := w.host.Audit.Finish(context.Background(), run.record, exitCode(e), w.host.Now().Sub(run.start))
	if err != nil && !errors.Is(err, context.Canceled) {
		w.host.Log.Warn("the end of a command could not be written to the command log", "error", err)
	}
}

// below shows a folder relative to the workspace, "" for its root.
func (w *warden) below(dir string) string {
	if rel, err := filepath.Rel(w.root, dir); err == nil && dir != "" && rel != "." {
		return rel
	}
	return ""
}
