package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// pipeline is the state of one task. What clients may see of it is in status.
type pipeline struct {
	input    task.Input
	repo     task.Repository
	fork     *task.Repository // takes the branch when the input wants that; nil is repo
	settings task.Settings
	status   signals.Status
	taken    activities.Taken
	work     workflow.Context // ends when the task is cancelled or abandoned
	stop     workflow.CancelFunc

	decision  *decision                 // on the current plan revision
	resume    int                       // how many resume requests have come
	tells     []prompt.Tell             // messages for the next session
	delivered map[string]bool           // ids of messages that have counted
	seen      []string                  // the same, in the order in which they came
	answers   map[string]signals.Answer // to commands that a person was asked about, by the question's id, or by its text's where the answer stands for that
	bound     map[string][]signals.File // what the files of a command held when a person was last asked, by its text's id
	waiting   map[string]int            // sessions that wait for an answer right now, by the question's id
	asking    int                       // all of them
	untold    []prompt.Tell             // answers that came when no session waited any more
	abandoned string                    // why, when somebody abandoned the task

	before      task.Usage     // of what came before the first of these sessions
	sessions    int            // numbers given out
	errors      int            // errors in a row
	maxCost     float64        // the operator's, 0 for none
	maxTime     time.Duration  // the operator's, 0 for none
	uncommitted string         // why the last commit failed; its work is only in the workspace then
	refused     string         // why, when it failed because of what the work is
	leak        string         // why, when it failed because the work holds a secret
	leaks       int            // such commits in a row
	findings    []task.Finding // what of the last commit's changes deserves a second look
	unchecked   bool           // something has changed since the last check
	fixing      int            // how manieth attempt to mend what the check says, 0 for none
	quotas      int            // used-up quotas in a row
	loops       int            // sessions in a row that went round in circles
	checks      int            // runs of the check command
	setups      int            // runs of the setup command
	edit        *decision      // what a person wants changed in the plan; nil when nobody does
	title       string         // summary of the first plan, which names the pull request
	progress    []task.Entry   // what the next session is told of the past
	moves       int            // takes of a host since an activity last succeeded there
	attributes  attributes     // what the search attributes say now
	logged      int            // log lines so far
	talk        talk           // to people in chats
	turns       turns          // at gates
	claimed     bool           // the source has been told that the task works

	continues bool                       // it goes on with a branch that stands, in rounds
	merging   bool                       // the base is merged in the workspace, and waits for its commit
	followed  *task.Repository           // where the pull request stands, when it can be looked after
	feedback  map[string]prompt.Feedback // what a deliverable of a round is about, by its id
	came      map[string]came            // what came of the deliverables
	pullEnded task.Outcome               // set when the pull request was merged or closed
}

// came is what came of one deliverable, for those who asked for it.
type came struct {
	text   string // the session's report
	done   bool
	commit string // "" when nothing had to change
	on     int    // how many commits the task had then
}

// ending is how a task ends, as an error so that every stage can end it.
type ending struct {
	outcome task.Outcome
	detail  string
}

func (e *ending) Error() string { return fmt.Sprintf("%s: %s", e.outcome, e.detail) }

func end(o task.Outcome, format string, args ...any) error {
	return &ending{o, fmt.Sprintf(format, args...)}
}

// begin reads the input and makes the task ready for messages before anything can block.
func begin(ctx workflow.Context, input json.RawMessage) (*pipeline, error) {
	in, err := task.ParseInput(input)
	if err != nil {
		return nil, badInput(err)
	}
	repo, err := task.ParseRepository(in.Repository)
	if err != nil {
		return nil, badInput(err)
	}
	info := workflow.GetInfo(ctx)
	t := newPipeline(ctx, in, repo)
	t.status = signals.Status{
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
		TaskID: taskID(info), Repository: in.Repository, Task: in.Task, Started: workflow.Now(ctx), Phase: task.Preparing,
	}
	if in.RequestedBy != nil {
		t.status.RequestedBy = in.RequestedBy.Name
	}
	if err := t.listen(ctx); err != nil {
		return nil, err
	}
	t.reserved()
	t.hearTurns(ctx)
	return t, nil
}

func newPipeline(ctx workflow.Context, in task.Input, repo task.Repository) *pipeline {
	t := &pipeline{input: in, repo: repo, delivered: map[string]bool{},
		answers: map[string]signals.Answer{}, bound: map[string][]signals.File{}, waiting: map[string]int{}, came: map[string]came{}}
	t.work, t.stop = workflow.WithCancel(ctx)
	return t
}

// taskID names refs, branch and folders: readable, safe in a ref and in a path, and new with every run of a workflow id.
func taskID(info *workflow.Info) string {
	run := info.OriginalRunID
	if len(run) > 8 {
		run = run[len(run)-8:]
	}
	if s := task.Slug(info.WorkflowExecution.ID, 60); s != "" {
		return s + "-" + run
	}
	return "task-" + run
}

// badInput is the readable, final error of an input that can't be used.
func badInput(err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(fault.KindOf(err)),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{fault.HintOf(err)}})
}

// finish turns the way the pipeline came to its end into the workflow's result.
func (t *pipeline) finish(ctx workflow.Context, err error) (signals.Status, error) {
	var e *ending
	switch {
	case err == nil:
		e = &ending{outcome: task.PullRequest}
	case errors.As(err, &e):
	case t.pullEnded != "":
		e = &ending{outcome: t.pullEnded}
	case t.abandoned != "":
		e = &ending{task.Abandoned, t.abandoned}
	case temporal.IsCanceledError(err):
		e = &ending{task.Cancelled, "cancelled"}
	default:
		e = &ending{task.Failed, message(err)}
	}
	rest, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	t.clean(rest, e.outcome)
	t.status.Outcome, t.status.Detail, t.status.Reason = e.outcome, clip(e.detail, 2000), ""
	t.status.NextAction, t.status.NeedsHuman, t.status.WaitingUntil, t.status.Questions = "", false, time.Time{}, nil
	t.say(rest, "ended", "%s", outcomeLine(e))
	t.enter(rest, task.Ended)
	followed := t.published(e.outcome) && t.follow(rest)
	t.depart(rest, followed)
	t.show(rest, signals.Notice{Subject: signals.SubjectEnd, Final: !followed})
	_ = t.talk.told(rest)
	// A request that is being answered must not be cut off by the end of the workflow.
	_ = workflow.Await(rest, func() bool { return workflow.AllHandlersFinished(rest) })
	switch e.outcome {
	case task.Cancelled:
		return t.status, temporal.NewCanceledError(t.status)
	case task.Failed:
		return t.status, t.failure(err)
	}
	return t.status, nil
}

// published tells whether the task has ended with a pull request that stands, ready or not.
func (t *pipeline) published(o task.Outcome) bool {
	return t.status.PullRequest != nil && (o == task.PullRequest || o == task.ChecksFailed)
}

// failure keeps the kind of the error that ended the task, so that clients give the right exit code.
func (t *pipeline) failure(err error) error {
	kind, hint := kindOf(err), hintOf(err)
	if e := (*ending)(nil); errors.As(err, &e) { // we have ended it, and nothing is out of reach
		kind = fault.Work
	}
	return temporal.NewApplicationErrorWithOptions(message(err), string(kind),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{hint, t.status}})
}

func outcomeLine(e *ending) string {
	if e.detail == "" {
		return string(e.outcome)
	}
	return string(e.outcome) + ": " + firstLine(e.detail)
}

// say adds a line to the task's log. The log keeps the newest lines.
func (t *pipeline) say(ctx workflow.Context, kind, format string, args ...any) {
	const kept = 60
	t.logged++
	t.status.Log = append(t.status.Log, signals.LogLine{N: t.logged,
		Entry: task.Entry{Time: workflow.Now(ctx), Kind: kind, Text: clip(fmt.Sprintf(format, args...), 2000)}})
	if n := len(t.status.Log); n > kept {
		t.status.Log = t.status.Log[n-kept:]
	}
}

// remember adds to what the next sessions are told of the past.
func (t *pipeline) remember(ctx workflow.Context, kind, text string) {
	const kept = 40 // and at most 24 KiB, which is what a prompt takes of it
	t.progress = append(t.progress, task.Entry{Time: workflow.Now(ctx), Kind: kind, Text: clip(text, 1200)})
	size := 0
	for i := len(t.progress) - 1; i >= 0; i-- {
		if size += len(t.progress[i].Text); size > 24<<10 || len(t.progress)-i > kept {
			t.progress = slices.Clone(t.progress[i+1:])
			break
		}
	}
}

// ref names the workspace and the attempt.
func (t *pipeline) ref() activities.Ref {
	return activities.Ref{TaskID: t.status.TaskID, Fence: t.status.Fence}
}

// worked counts running time against the task's budget.
func (t *pipeline) worked(d time.Duration) { t.status.Worked += d }
