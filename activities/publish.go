package activities

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// PullRequests opens, follows and closes the pull requests of tasks, and finds the forks that their branches are in.
type PullRequests struct {
	forge  forgeOf
	host   string // of the forge that owner/name is on
	redact *redact.Redactor
	web    string // address of Temporal Web; may be empty

	wake func(ctx context.Context, id, why string) error // replaces the signal, in tests
}

type PullRequestInput struct {
	Ref
	Repository task.Repository  `json:"repository"`
	Fork       *task.Repository `json:"fork,omitempty"` // has the branch
	Head       string           `json:"head"`
	HeadCommit string           `json:"headCommit"`
	Base       string           `json:"base"`
	Draft      bool             `json:"draft,omitempty"`
	Labels     []string         `json:"labels,omitempty"`
	Reviewers  []string         `json:"reviewers,omitempty"`
	Summary    forge.Summary    `json:"summary"`
}

// Checked is what a task needs to know of the installation before it starts.
type Checked struct {
	Rooms   []task.Room `json:"rooms,omitempty"`   // where every task is shown
	Limited bool        `json:"limited,omitempty"` // the operator limits every task of a repository
	Shared  bool        `json:"shared,omitempty"`  // the operator limits all tasks together
	Bounds  task.Bounds `json:"bounds,omitzero"`
}

// CheckForge fails when there is no forge for the repository, before a task costs anything.
func (c *Control) CheckForge(ctx context.Context, r task.Repository) (Checked, error) {
	if _, err := c.Forge(ctx, r); err != nil {
		return Checked{}, err
	}
	known := Checked{Limited: c.Limits.Sessions > 0 || c.Limits.DailyCost > 0, Shared: c.Limits.AllCost > 0, Bounds: c.Limits.Each}
	if c.Rooms == nil {
		return known, nil
	}
	var err error
	known.Rooms, err = c.Rooms(ctx)
	return known, err
}

// ForkInput names a repository whose fork is wanted.
type ForkInput struct {
	task.Repository
	Existing bool `json:"existing,omitempty"` // none is made
}

// ForkRepository finds or makes the fork that a task's branch is pushed to, and waits until it accepts pushes. Where only an existing one
// is wanted and there is none, it returns the zero value.
func (p *PullRequests) ForkRepository(ctx context.Context, in ForkInput) (task.Repository, error) {
	r := in.Repository
	f, err := p.forge(ctx, r)
	if err != nil {
		return task.Repository{}, err
	}
	forker, ok := f.(forge.Forker)
	if !ok {
		return task.Repository{}, fault.New(fault.Input, "repository %s is on a forge without forks", r.Text).WithHint("leave fork out")
	}
	fork := forker.Fork
	if in.Existing {
		fork = forker.FindFork
	}
	found, err := fork(ctx, r)
	if err != nil {
		return task.Repository{}, fmt.Errorf("fork %s: %w", r.Text, err)
	}
	return found, nil
}

// longestOpening is less than what the workflow gives an attempt.
const longestOpening = 4 * time.Minute

// OpenPullRequest opens the pull request, or finds the one that an earlier attempt opened.
func (p *PullRequests) OpenPullRequest(ctx context.Context, in PullRequestInput) (forge.PullRequest, error) {
	f, err := p.forge(ctx, in.Repository)
	if err != nil {
		return forge.PullRequest{}, err
	}
	in.Summary.RunURL = taskURL(ctx, p.web)
	in.Summary.Task = p.redact.String(in.Summary.Task) // before it is cut to a title: nobody recognises half a secret
	title, body := forge.Compose(in.Summary)
	title, body = p.redact.String(title), p.redact.String(body)
	if err := leaksIn(p.redact, map[string]string{"the pull request's title": title, "the pull request's text": body}); err != nil {
		return forge.PullRequest{}, err
	}
	r := forge.Request{
		Repository: in.Repository, TaskID: in.TaskID, Fence: in.Fence, Head: in.Head, HeadCommit: in.HeadCommit,
		Base: in.Base, Title: title, Body: body, Draft: in.Draft, Labels: in.Labels, Reviewers: in.Reviewers,
	}
	if in.Fork != nil {
		r.HeadOwner = in.Fork.Owner
	}
	// What the forge has begun is waited for, also when the task is stopped: nobody else would know of the pull request.
	opening, end := context.WithTimeout(context.WithoutCancel(ctx), longestOpening)
	defer end()
	pr, err := f.EnsurePullRequest(opening, r)
	if err != nil {
		return forge.PullRequest{}, fmt.Errorf("open the pull request: %w", err)
	}
	if runner, ok := f.(forge.CheckRunner); ok {
		pr.CheckRuns = runner.WritesCheckRuns()
	}
	return pr, nil
}

// taskURL links to the running workflow in Temporal Web.
func taskURL(ctx context.Context, address string) string {
	run := activity.GetInfo(ctx).WorkflowExecution
	return webURL(ctx, address, run.ID, run.RunID)
}
