package workflows

import (
	"encoding/json"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// pipeline is one task: its stages, and the parts that carry them out. Each part has the parts that it uses, and no other.
type pipeline struct {
	facts
	journal      *journal
	inbox        *inbox
	questions    *questions
	admissions   *admissions
	origin       *origin
	parking      *parking
	runner       *runner
	budget       *budget
	briefing     *briefing
	sessions     *sessions
	checks       *checks
	commits      *commits
	deliverables *deliverables
	publisher    *publisher
	checkRuns    *checkRuns

	work      workflow.Context // ends when the task is cancelled or abandoned
	stop      workflow.CancelFunc
	edit      *decision // the change of the plan that a person wants; nil when nobody does
	impasse   impasse
	pullEnded task.Outcome // set when the pull request was merged or closed
}

// facts are what every part reads. The status is what clients see of the task.
type facts struct {
	def        *definition
	settings   *task.Settings
	assignment *assignment
	status     *signals.Status
}

// hasSettings tells whether the task's settings are known, and with them its budget.
func (f facts) hasSettings() bool { return f.status.Branch != "" }

// ref names the workspace and the attempt.
func (f facts) ref() activities.Ref {
	return activities.Ref{TaskID: f.status.TaskID, Fence: f.status.Fence}
}

// definition is what the task was asked to do, and where.
type definition struct {
	input     task.Input
	repo      task.Repository
	fork      *task.Repository // takes the branch when the input wants that; nil is repo
	continues bool             // works on an existing branch, in follow-up rounds
}

// guard returns the limits of the intake that has started the task.
func (d *definition) guard() task.Guard {
	if d.input.Origin == nil || d.input.Origin.Guard == nil {
		return task.Guard{}
	}
	return *d.input.Origin.Guard
}

// sourced tells whether there is a source to report to. The result of a pull request is reported by the pull request itself.
func (d *definition) sourced() bool {
	return !d.continues && d.input.Origin != nil && d.input.Origin.Source != ""
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
	t := newPipeline(ctx, &definition{input: in, repo: repo}, signals.Status{
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
		TaskID: taskID(info), Repository: in.Repository, Task: in.Task, Images: in.Images,
		Started: workflow.Now(ctx), Phase: task.Preparing,
	})
	if in.RequestedBy != nil {
		t.status.RequestedBy = in.RequestedBy.Name
	}
	if err := t.listen(ctx); err != nil {
		return nil, err
	}
	t.admissions.reserved()
	t.admissions.receive(ctx)
	return t, nil
}

func newPipeline(ctx workflow.Context, def *definition, status signals.Status) *pipeline {
	f := facts{def: def, settings: &task.Settings{}, assignment: &assignment{}, status: &status}
	t := &pipeline{facts: f}
	t.work, t.stop = workflow.WithCancel(ctx)
	t.journal = &journal{facts: f, notices: notices{facts: f}}
	t.budget = &budget{facts: f}
	t.questions = &questions{facts: f, work: t.work, journal: t.journal,
		answers: map[string]signals.Answer{}, bound: map[string][]signals.File{}, waiting: map[string]int{}}
	t.inbox = &inbox{facts: f, stop: t.stop, journal: t.journal, questions: t.questions, budget: t.budget, delivered: map[string]bool{}}
	t.checkRuns = &checkRuns{facts: f}
	t.parking = &parking{facts: f, journal: t.journal, inbox: t.inbox, checkRuns: t.checkRuns}
	t.origin = &origin{facts: f, parking: t.parking}
	t.admissions = &admissions{facts: f, journal: t.journal, inbox: t.inbox, origin: t.origin, parking: t.parking}
	t.parking.admissions, t.budget.admissions = t.admissions, t.admissions
	t.runner = &runner{facts: f, journal: t.journal, budget: t.budget, parking: t.parking}
	t.briefing = &briefing{facts: f, journal: t.journal, inbox: t.inbox, questions: t.questions, runner: t.runner}
	staffing := &staffing{facts: f, journal: t.journal, parking: t.parking, briefing: t.briefing, left: map[task.Worker]time.Time{}}
	t.sessions = &sessions{facts: f, journal: t.journal, inbox: t.inbox, questions: t.questions, budget: t.budget, parking: t.parking,
		runner: t.runner, briefing: t.briefing, staffing: staffing}
	t.checks = &checks{facts: f, journal: t.journal, budget: t.budget, parking: t.parking, runner: t.runner, briefing: t.briefing}
	record := &record{facts: f, journal: t.journal, parking: t.parking, runner: t.runner, commits: map[string][]activities.Span{}}
	t.commits = &commits{facts: f, journal: t.journal, parking: t.parking, runner: t.runner, briefing: t.briefing, checks: t.checks,
		record: record}
	proofs := &proofs{facts: f, journal: t.journal, checks: t.checks,
		begun: map[string]string{}, guards: map[string]bool{}, unrun: map[string]bool{}, failed: map[string]*signals.Check{},
		opened: map[string]int{}}
	t.deliverables = &deliverables{facts: f, journal: t.journal, sessions: t.sessions, checks: t.checks, proofs: proofs,
		commits: t.commits, record: record,
		results: map[string]result{}}
	t.publisher = &publisher{facts: f, journal: t.journal, questions: t.questions, admissions: t.admissions, budget: t.budget,
		parking: t.parking, runner: t.runner, briefing: t.briefing, checks: t.checks, commits: t.commits,
		record: record, checkRuns: t.checkRuns}
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

// badInput is the final error of an input that can't be used.
func badInput(err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(fault.KindOf(err)),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{fault.HintOf(err)}})
}
