package activities

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/sweep"
	"github.com/longshift/longshift/task"
)

const configFile = ".longshift.yaml"

// Preparer makes the workspaces of tasks.
type Preparer struct {
	host       string
	data       string
	workspaces *workspace.Manager
	limits     project.Limits
	env        Environment
	running    *runningSessions
	cleaner    *Cleaner
	preparing  *preparing
	redact     *redact.Redactor
	log        *slog.Logger
}

type PrepareInput struct {
	Ref
	Repository task.Repository  `json:"repository"`
	Fork       *task.Repository `json:"fork,omitempty"` // the branch and the checkpoint are pushed there
	Base       string           `json:"base,omitempty"`
	Title      string           `json:"title"` // the task in words; becomes part of the branch's name
	Config     *task.Config     `json:"config,omitempty"`
	Spec       []string         `json:"spec,omitempty"`     // files and folders that must be there, and that no agent may change
	Branch     string           `json:"branch,omitempty"`   // set when the task already has one
	Continue   bool             `json:"continue,omitempty"` // start at the head of the branch on the remote, not at the base
	Reported   []string         `json:"reported,omitempty"` // heads of the workspace that earlier steps have reported, the newest last
	Bounds     task.Bounds      `json:"bounds,omitzero"`    // those of the control worker, for a host that was set up without them
}

// Prepared is a workspace with the settings of its base commit.
type Prepared struct {
	Branch     string        `json:"branch"`
	Base       string        `json:"base"`
	BaseCommit string        `json:"baseCommit,omitempty"` // empty for a repository without commits
	Head       string        `json:"head,omitempty"`
	Restored   bool          `json:"restored,omitempty"`
	Snapshot   bool          `json:"snapshot,omitempty"` // it holds uncommitted work that another host has pushed
	Behind     bool          `json:"behind,omitempty"`   // Head is not the newest of those reported: later commits are lost
	Settings   task.Settings `json:"settings"`
	Warnings   []string      `json:"warnings,omitempty"`
	Notes      []string      `json:"notes,omitempty"`   // what people and agents should know of the workspace
	MaxCost    float64       `json:"maxCost,omitempty"` // the operator's limits; a resume can't exceed them
	MaxTime    time.Duration `json:"maxTime,omitempty"`

	Known   []Known `json:"known,omitempty"`   // deliverables that the status file of the base commit lists; none without a specification
	Planned bool    `json:"planned,omitempty"` // they were made from the specification as it is, so the open ones are what there is to do

	Others []string `json:"others,omitempty"` // files and folders of other specifications, whose deliverables are among them
}

// PrepareWorkspace makes or restores the task's workspace and resolves its settings from the base commit.
// A repeated call keeps an existing workspace, with its uncommitted work.
func (p *Preparer) PrepareWorkspace(ctx context.Context, in PrepareInput) (Prepared, error) {
	if err := p.running.end(ctx, in.TaskID, in.Fence); err != nil {
		return Prepared{}, err
	}
	leave, err := p.enter(ctx, in.Repository.Text)
	if err != nil {
		return Prepared{}, err
	}
	defer leave()
	out, err := p.prepare(ctx, in)
	if in.Branch == "" && isOneOf(err, fault.Input, fault.NotFound) {
		// The task ends with this error and never had a workspace, so nothing of it may stay here or on the remote.
		if kept := p.cleaner.CleanUp(ctx, CleanInput{in.Ref}); kept != nil {
			p.log.WarnContext(ctx, "a workspace that could not be prepared is left behind", "task", in.TaskID, "error", kept)
		}
	}
	return out, err
}

// enter waits until a workspace of the repository may be made, and returns what ends that.
func (p *Preparer) enter(ctx context.Context, repository string) (leave func(), err error) {
	if !activity.IsActivity(ctx) {
		return func() {}, nil
	}
	waiting, stop := untilStopping(ctx)
	defer stop()
	if leave, err = p.preparing.enter(waiting, repository); err != nil {
		return nil, interrupted(waiting)
	}
	return leave, nil
}

func (p *Preparer) prepare(ctx context.Context, in PrepareInput) (Prepared, error) {
	spec := workspace.Spec{TaskID: in.TaskID, Repository: in.Repository, Fork: in.Fork, Base: in.Base, Branch: in.Branch,
		Fence: in.Fence, Continue: in.Continue,
		Reported: in.Reported}
	if spec.Branch == "" {
		spec.Branch = branchPrefix(in.Config) + branchName(in.Title, in.TaskID)
	}
	if err := p.noteOwner(ctx, in.TaskID); err != nil {
		return Prepared{}, err
	}
	ws, err := p.workspaces.Prepare(ctx, spec)
	if err == nil && ws.Empty {
		err = fault.New(fault.Input, "repository %s has no commit, so there is nothing that a pull request could be made against",
			in.Repository.Text).
			WithHint("make a first commit there, then start the task again")
	}
	if err != nil {
		return Prepared{}, err
	}
	resolved, err := p.settings(ctx, in)
	if err == nil {
		err = p.checkNeeds(ctx, in, resolved.Settings)
	}
	if err == nil {
		err = p.protectSpec(ctx, in, ws, &resolved.Settings.Paths)
	}
	if err == nil {
		err = p.closeTargets(ctx, in, &resolved.Settings.Paths)
	}
	var out Prepared
	if err == nil {
		err = p.known(ctx, in, ws, &out)
	}
	if err != nil {
		return Prepared{}, err
	}
	// The prefix of branches is a setting of the repository, which is known only now. A new workspace whose branch has another prefix is
	// made again.
	want := resolved.Settings.Branch + branchName(in.Title, in.TaskID)
	if in.Branch == "" && ws.Branch != want && ws.Head == ws.BaseCommit {
		if err := p.workspaces.Remove(ctx, in.TaskID, false); err != nil {
			return Prepared{}, err
		}
		spec.Branch = want
		if ws, err = p.workspaces.Prepare(ctx, spec); err != nil {
			return Prepared{}, err
		}
	}
	if in.Branch == "" && ws.Rival != "" {
		return Prepared{}, noRoom(ws, spec, resolved.Settings.Branch)
	}
	out.Warnings = slices.Concat(resolved.Warnings, out.Warnings)
	if ws.Unfilled != "" {
		out.Warnings = append(out.Warnings, "kept in Git LFS and not to be had, so only the pointers were in the workspace: "+visible(ws.Unfilled))
	}
	tree, err := p.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Prepared{}, err
	}
	defer tree.Close()
	limits := p.limits.Within(in.Bounds)
	lacking, err := unfilled(ctx, tree)
	if err != nil {
		return Prepared{}, err
	}
	out.Branch, out.Base, out.BaseCommit, out.Head = ws.Branch, ws.BaseBranch, ws.BaseCommit, ws.Head
	out.Restored, out.Snapshot, out.Behind = ws.Restored, ws.Snapshot, ws.Behind
	out.Settings, out.Notes = resolved.Settings, notes(p.redact, lacking...)
	out.MaxCost, out.MaxTime = limits.MaxCost, limits.MaxTime
	return out, nil
}

// noteOwner writes into the task's folder which workflow it belongs to.
func (p *Preparer) noteOwner(ctx context.Context, id string) error {
	if !activity.IsActivity(ctx) {
		return nil
	}
	of := activity.GetInfo(ctx).WorkflowExecution
	return sweep.Note(ctx, taskDir(p.data, id), sweep.Owner{Workflow: of.ID, Run: of.RunID})
}

func (p *Preparer) settings(ctx context.Context, in PrepareInput) (project.Resolved, error) {
	tree, err := p.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return project.Resolved{}, err
	}
	defer tree.Close()
	var repo task.Config
	data, ok, err := tree.Base.File(ctx, configFile)
	if err != nil {
		return project.Resolved{}, fmt.Errorf("read %s of the base commit: %w", configFile, err)
	}
	if ok {
		if repo, err = project.Parse(data); err != nil {
			return project.Resolved{}, fmt.Errorf("read the settings of the base commit: %w", err)
		}
	}
	var job task.Config
	if in.Config != nil {
		job = *in.Config
	}
	return project.Resolve(p.limits.Within(in.Bounds), repo, job)
}

// unfilled returns the submodules that could not be fetched, or not all of them.
func unfilled(ctx context.Context, tree *workspace.Tree) ([]about, error) {
	s, err := tree.Submodules(ctx)
	return []about{{"submodules that could not be filled, so that their folders are empty", s.Empty},
		{"submodules whose files of Git LFS are only pointers", s.Pointers}}, err
}

// noRoom is the fault for a branch that could never be pushed, which is told before there is any work that would be lost.
func noRoom(ws workspace.Workspace, spec workspace.Spec, prefix string) error {
	home := spec.Repository
	if spec.Fork != nil {
		home = *spec.Fork
	}
	return fault.New(fault.Input, "branch %q gives the task the branch %s, and %s of %s leaves no room for it",
		prefix, ws.Branch, ws.Rival, home.Text).
		WithHint("set `branch` to another start of names, such as \"longshift-\", or rename that branch; then start the task again")
}

func branchPrefix(c *task.Config) string {
	if c != nil && c.Branch != nil {
		return *c.Branch
	}
	return "longshift/"
}

// branchName returns a readable name, which the end of the task id makes unique.
func branchName(title, taskID string) string {
	tail := taskID
	if len(tail) > 8 {
		tail = tail[len(tail)-8:]
	}
	if s := task.Slug(excerpt.FirstLine(title), 40); s != "" { // details follow in later lines
		return s + "-" + tail
	}
	return tail
}
