package activities

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/loop"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// toolRun is one attempt to make calls.
type toolRun struct {
	of    *Acts
	in    RunInput
	s     Started
	kept  *keptAct
	conv  *transcript.Conversation
	calls []transcript.Call
	last  bool // the answer has no call beside these
	cut   bool // the answer has reached the limit of its length

	tree    *workspace.Tree
	root    *os.Root
	files   *fileCalls
	shell   *shell
	reports *reporting.Session
	log     *sessionLog
	over    func()
	start   time.Time // of the work, when there was a slot
	loops   loop.Detector
}

// toolRun makes ready to make calls, and calls begin when it has a slot.
func (a *Acts) toolRun(ctx context.Context, in RunInput, kept *keptAct, begin func()) (_ *toolRun, err error) {
	r := &toolRun{of: a, in: in, kept: kept, over: func() {}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.s, err = a.started(in.Act); err != nil {
		return nil, err
	}
	if r.conv, err = a.conversation(in.Act); err != nil {
		return nil, err
	}
	open, answer := r.conv.Open()
	if in.Calls < 1 || in.Calls > len(open) {
		return nil, fault.New(fault.Internal, "%d calls are to be made of %d that are open", in.Calls, len(open))
	}
	r.calls, r.last, r.cut = open[:in.Calls], in.Calls == len(open), answer.Cut
	over, err := a.leases.hold(ctx, in.Session, r.s.Precedence)
	if err != nil {
		return nil, err
	}
	r.over, r.start = over, a.of.now()
	begin()
	if r.tree, err = a.of.workspaces.Open(ctx, in.TaskID, in.Fence); err != nil {
		return nil, err
	}
	if r.log, err = a.log(in.Act, r.s); err != nil {
		return nil, err
	}
	return r, r.equip(ctx)
}

// equip makes what the calls need.
func (r *toolRun) equip(ctx context.Context) (err error) {
	of, in := r.of.of, r.s.SessionInput
	rec := r.of.recordOf(r.in.Act)
	session, err := of.launcher.start(ctx, in, rec)
	if err != nil {
		return err
	}
	box, dirs, err := of.launcher.box(ctx, &session, in)
	if err != nil {
		return err
	}
	of.launcher.boxes.connectRegistries(&box, session.StateDir, ".", dirs, in.caller) // home: see commandEnvOf
	enforcer, err := of.enforcers.of(in, r.tree.Dir(), session.StateDir, dirs.Cache, filepath.Join(session.StateDir, changeFile))
	if err != nil {
		return err
	}
	enforcer.ask = (&approvals{file: rec.folder().Allowed(r.in.Head), ask: askTask(r.s.Task), now: r.of.of.now, problem: func(err error) {
		r.log.line("! what a person has allowed is not kept: %s", r.log.hide(err.Error()))
	}}).answer
	enforcer.counted = true // below, as the model has written them: for the rules, different lines of a file are the same call
	earlier := r.conv.Calls()
	for _, c := range earlier {
		r.loops.See(c.Tool, c.Arguments)
	}
	r.log.activity("Starting", len(earlier))
	if r.root, err = os.OpenRoot(r.tree.Dir()); err != nil {
		return fault.New(fault.Infra, "open the workspace: %w", err)
	}
	rules, limits := callRules{enforcer: enforcer, log: r.log}, limitsOf(r.s.Native)
	tree := tools.Tree{Root: r.root, Readable: enforcer.mayRead, Limits: tools.Limits{ReadBytes: limits.read}}
	r.files = &fileCalls{callRules: rules, kept: r.kept, root: r.root, tools: &tools.Workspace{Tree: tree,
		Accepts: func(path, before, after string) error { return keepsHidden(of.redact, path, before, after) }}}
	r.shell = &shell{callRules: rules, kept: r.kept, act: r.in.Act, root: r.root, outputs: filepath.Join(rec.dir, "output"),
		limits: limits, box: box, env: commandEnvOf(of.launcher.env.CommandEnv(dirs), session),
		boxes: of.launcher.boxes, processes: &r.of.processes, redact: of.redact, now: of.now}
	if r.reports, err = of.launcher.keepReports(in, rec); err != nil {
		return err
	}
	r.beginReports(in)
	r.log.usage = func() task.Usage { return r.in.Usage }
	showSoon(ctx, r.log.heartbeat)
	return nil
}

// beginReports has the log take the reports that come from here on. Those of earlier acts are in it.
func (r *toolRun) beginReports(in SessionInput) {
	begun := false
	r.reports.Begin(aboutSession(in, func(report reporting.Report) {
		if begun {
			r.log.report(report)
		}
	}))
	begun = true
}

func (r *toolRun) close() {
	r.over()
	if r.reports != nil {
		r.reports.Close()
	}
	if r.log != nil {
		r.log.close()
	}
	if r.root != nil {
		_ = r.root.Close()
	}
	if r.tree != nil {
		r.tree.Close()
	}
}

// names are the tools that the session was begun with.
func (r *toolRun) names() (list []string) {
	for _, t := range r.conv.Start().Tools {
		list = append(list, t.Name)
	}
	return list
}

// report takes a report.
func (r *toolRun) report(c transcript.Call) callResult {
	tool, arguments, why := asReport(c, r.s.Prompt.Deliverable)
	if why != nil {
		return refused(why.Error())
	}
	text, failed, ok := r.reports.Call(c.ID, tool, arguments)
	switch {
	case !ok:
		return refused(fmt.Sprintf("%q is no tool of this role", tool))
	case failed:
		return refused(text)
	}
	return callResult{content: forModel(map[string]any{"success": true, "answer": text})}
}

// callRules asks the session's rules about calls.
type callRules struct {
	enforcer *enforcer
	log      *sessionLog
}

// permit returns nil when a call may be made, and otherwise what it comes to.
func (r callRules) permit(ctx context.Context, p agent.Call) *callResult {
	d := r.enforcer.decides().Ask(ctx, p)
	switch {
	case d.Allow:
		return nil
	case ctx.Err() != nil:
		return &callResult{err: interrupted(ctx)}
	case d.End == agent.Errored && r.enforcer.unwritten() != nil: // the disk is at fault, and not the session
		return &callResult{err: r.enforcer.unwritten()}
	case d.End != "":
		return &callResult{end: d.End, content: d.Reason}
	}
	r.log.line("! %s was not let through: %s", p.Tool, excerpt.Line(r.log.hide(d.Reason), 400))
	no := refused("not allowed: " + d.Reason)
	return &no
}

func refused(why string) callResult {
	return callResult{content: forModel(map[string]any{"success": false, "error": why}), failed: true}
}

// mayRead tells whether a file or folder of the workspace may be read by the session. Its path has no links: see readable for others.
func (en *enforcer) mayRead(path string) bool {
	d := en.policy.Decide(policy.Request{Role: en.in.Role, Path: en.inRoot(path), Access: policy.Read})
	return d.Verdict == policy.Allow
}

// aboutSession is what the reports of a session are held to.
func aboutSession(in SessionInput, accepted func(reporting.Report)) reporting.About {
	return reporting.About{Deliverable: in.Prompt.Deliverable, Plan: in.Prompt.Plan,
		Confirms: in.confirms(), Accepted: accepted}
}

// confirms tells whether the session's approval is to confirm each deliverable.
func (in SessionInput) confirms() bool {
	return in.Role == task.Reviewer && len(in.Prompt.Spec) > 0 && !in.Prompt.Sync
}
