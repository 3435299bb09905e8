package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// The families of activities are typed nil receivers: they name activities, they are never called. Those about accounts are functions.
var (
	assigner      *activities.Assigner
	preparer      *activities.Preparer
	agentSessions *activities.Sessions
	acts          *activities.Acts
	commands      *activities.Commands
	git           *activities.Git
	cleaner       *activities.Cleaner
	examiner      *activities.Examiner
	control       *activities.Control
	pulls         *activities.PullRequests
	messages      *activities.Messages
	events        *activities.Events
	limiters      *activities.Limiters
	sources       *activities.Sources
)

// mostReassignments is how many hosts in a row may fail a task before a person is asked.
const mostReassignments = 5

// runner runs steps on the task's host, and assigns another host when it is gone.
type runner struct {
	facts
	journal  *journal
	budget   *budget
	parking  *parking
	assigned int                              // hosts assigned since a step last succeeded
	made     int                              // workspaces made or restored
	base     string                           // that the workspace was made for
	unsaved  string                           // host whose workspace holds work that could not be committed, "" for none
	known    []activities.Known               // deliverables that earlier tasks have recorded
	bounds   task.Bounds                      // the operator's limits, as the control worker has them
	planned  bool                             // those that are open are what the specification still asks for
	others   []string                         // files and folders of other specifications, whose deliverables are among them
	restored func(ctx workflow.Context) error // completes a workspace that was made again; may be nil
}

// step is one activity on the task's host.
type step struct {
	options func(ctx workflow.Context) workflow.Context
	call    func(ctx workflow.Context) error // runs the activity and stores its result
	missed  func(err error)                  // called for an attempt that failed, also for one that was cancelled; may be nil
}

// onHost runs a step on the task's host. When the host does not answer any more, another one is assigned, restores the workspace and runs
// the step.
func (ru *runner) onHost(ctx workflow.Context, s step) error {
	cuts, again := 0, false
	for {
		err := s.call(s.options(ctx))
		if err == nil {
			ru.assigned = 0
			return nil
		}
		inQuestion, neverStarted := hostInQuestion(err)
		if s.missed != nil {
			s.missed(err)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case inQuestion:
			there, outage := ru.alive(ctx)
			switch lost := !neverStarted && !waited(err) && kindOf(err) != fault.Stopping; { // a worker that stops in good order is being deployed
			case lost && outage: // only the connection to the server has failed
				ru.journal.say(ctx, "host", "host %s did not reach the server for a while; what runs there continues", ru.assignment.Host)
			case lost:
				if cuts++; cuts > mostReassignments {
					cuts = 0
					if err := ru.parking.suspendOwn(ctx, signals.ReasonInfra, "the worker was lost %d times during this step",
						mostReassignments); err != nil {
						return err
					}
				}
			}
			if there {
				continue // it is back, or busy
			}
			err = ru.assign(ctx)
		case kindOf(err) == fault.NotFound && again:
			return err // something else is missing
		case kindOf(err) == fault.NotFound || kindOf(err) == fault.Fenced:
			again = true
			// The workspace is missing, or another attempt holds it: assign the task anew.
			err = ru.assign(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// inGit runs a git activity on the task's host. input is asked for again after the host has changed.
func (ru *runner) inGit(ctx workflow.Context, summary string, activity any, input func() any, into any) error {
	return ru.onHost(ctx, step{
		options: func(ctx workflow.Context) workflow.Context { return ru.assignment.short(ctx, summary) },
		call: func(ctx workflow.Context) error {
			return workflow.ExecuteActivity(ctx, activity, input()).Get(ctx, into)
		},
	})
}

// alive asks the host's control queue. outage tells that the host had no connection to the server.
func (ru *runner) alive(ctx workflow.Context) (there, outage bool) {
	var said activities.Alive
	err := workflow.ExecuteActivity(ru.assignment.probe(ctx), assigner.Probe).Get(ctx, &said)
	return err == nil, err == nil && said.OutOfTouch
}

// assign finds a host for the task and has it make or restore the workspace.
func (ru *runner) assign(ctx workflow.Context) error {
	for {
		ru.assigned++
		if ru.assigned > mostReassignments {
			ru.assigned = 0
			if err := ru.parking.suspend(ctx, signals.ReasonInfra, "%d hosts in a row failed this task", mostReassignments); err != nil {
				return err
			}
		}
		err := ru.next(toAnyHost(ctx, "who takes this task?"))
		if err != nil {
			return err
		}
		err = ru.workspace(ctx)
		if inQuestion, _ := hostInQuestion(err); err == nil || !inQuestion && kindOf(err) != fault.Fenced {
			return err
		}
	}
}

// next assigns the host that answers first.
func (ru *runner) next(ctx workflow.Context) error {
	before := ru.assignment.Host
	if err := workflow.ExecuteActivity(ctx, assigner.AssignTask).Get(ctx, &ru.assignment.Assignment); err != nil {
		return err
	}
	ru.status.Fence++
	ru.status.Host = ru.assignment.Host
	switch {
	case before == "":
	case before == ru.assignment.Host:
		ru.journal.say(ctx, "host", "host %s took the task again", ru.assignment.Host)
	default:
		ru.journal.say(ctx, "host", "host %s is gone, host %s took the task", before, ru.assignment.Host)
	}
	return nil
}

// remove removes the workspace, with its refs on the remote. When the host is gone, another one restores the workspace first, because
// only a host that has it may remove the refs. Neither waits for a host that never comes: a leftover costs disk, not correctness.
func (ru *runner) remove(ctx workflow.Context) error {
	cleanUp := func() error {
		in := activities.CleanInput{Ref: ru.ref()}
		return workflow.ExecuteActivity(ru.assignment.short(ctx, "remove the workspace"), cleaner.CleanUp, in).Get(ctx, nil)
	}
	err := cleanUp()
	if inQuestion, _ := hostInQuestion(err); !inQuestion {
		return err
	}
	if there, _ := ru.alive(ctx); !there {
		bounded := workflow.WithScheduleToCloseTimeout(toAnyHost(ctx, "who cleans up after this task?"), time.Minute)
		if err := ru.next(bounded); err != nil {
			return err
		}
		head := ru.status.Head
		err := ru.workspace(ctx)
		ru.status.Head = head // a workspace whose refs are removed already begins at the base
		if err != nil && (!isLost(err) || workflow.GetVersion(ctx, cleanLost, workflow.DefaultVersion, 1) < 1) {
			return err
		}
	}
	return cleanUp()
}

// cleanLost is the change since which a workspace is removed also when the host that was lost had removed its refs.
const cleanLost = "clean-lost"

// workspace has the host make the workspace, or restore it from the checkpoint.
func (ru *runner) workspace(ctx workflow.Context) error {
	in := activities.PrepareInput{Ref: ru.ref(), Repository: ru.def.repo, Fork: ru.def.fork, Base: ru.def.input.Base, Title: ru.def.input.Task,
		Config: ru.def.input.Config, Branch: ru.status.Branch, Continue: ru.def.continues, Reported: ru.heads(),
		Spec: ru.def.input.Spec, Bounds: ru.bounds}
	if ru.status.Base != "" {
		in.Base = ru.status.Base
	}
	var out activities.Prepared
	err := workflow.ExecuteActivity(ru.assignment.fetch(ctx), preparer.PrepareWorkspace, in).Get(ctx, &out)
	if err != nil {
		return err
	}
	ru.made++
	if ru.status.Branch == "" { // settings are read at the first base commit, and stay
		*ru.settings = out.Settings
		ru.status.Branch, ru.status.Base, ru.status.BaseCommit = out.Branch, out.Base, out.BaseCommit
		ru.status.Warnings = out.Warnings
		ru.known, ru.planned, ru.others = out.Known, out.Planned, out.Others
		ru.budget.limit(out.MaxCost, out.MaxTime)
	}
	if ru.def.continues && (!out.Restored || ru.status.BaseCommit == "") { // the round begins; what it adds counts from here
		ru.status.BaseCommit = out.BaseCommit
	}
	ru.status.Head, ru.base = out.Head, out.Base
	ru.journal.notice(ctx, out.Notes)
	if out.Restored {
		ru.journal.say(ctx, "host", "workspace restored from the checkpoint at %s", short(out.Head))
	}
	if out.Snapshot {
		ru.journal.say(ctx, "host", "the work that was not committed yet was restored as it was pushed last")
	}
	if ru.losesUnsaved(ctx, out) || out.Behind {
		return &lost{out.Head, out.Behind}
	}
	if ru.restored != nil {
		return ru.restored(ctx)
	}
	return nil
}

// losesUnsaved tells whether the workspace lacks work that could not be committed, because it is another host's.
func (ru *runner) losesUnsaved(ctx workflow.Context, out activities.Prepared) bool {
	if ru.unsaved == "" || ru.unsaved == ru.assignment.Host || out.Snapshot || workflow.GetVersion(ctx, unsavedLost, workflow.DefaultVersion, 1) < 1 {
		return false
	}
	ru.unsaved = ""
	return true
}

func short(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return commit[:min(len(commit), 10)]
}

// waited tells whether an attempt was cut off while it waited for a slot: then it can't have killed the worker.
func waited(err error) bool {
	var timeout *temporal.TimeoutError
	var b signals.Heartbeat
	return asError(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&b) == nil && b.Waiting
}

// cut returns the last heartbeat of an attempt of a session that failed.
func cut(err error) (b signals.Heartbeat, ok bool) {
	var timeout *temporal.TimeoutError
	if asError(err, &timeout) {
		ok = timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&b) == nil
	} else {
		b, ok = detailsOf[signals.Heartbeat](err)
	}
	return b, ok && b.Session != ""
}
