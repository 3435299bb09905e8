package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// taskBranch is where the commits of a task are in a repository on this machine.
type taskBranch struct {
	Task   string `json:"task"`
	Dir    string `json:"folder"`
	Branch string `json:"branch"`
	Base   string `json:"base"` // the commit that the task started from
	Head   string `json:"head"` // its last commit

	remote string // of Dir, that the commits were fetched from; "" if Dir is the task's own repository
}

// branchFinder finds the commits of tasks, and fetches them into the clone of the current folder if they are elsewhere.
type branchFinder struct {
	viewer       *tasks.Viewer
	git          environ.Git
	streams      term.Streams
	printer      *term.Printer
	config       *environ.Config
	repositories *repository.Repositories
	remotes      remotes
}

func newBranchFinder(f *factory) *branchFinder {
	return &branchFinder{f.viewer, f.git, f.streams, f.printer, f.config, f.repositories, remotes{f.env, f.git}}
}

// find returns the commits of the task that was given by its id.
func (b *branchFinder) find(ctx context.Context, given string) (taskBranch, error) {
	c, found, err := b.viewer.LookUp(ctx, given)
	if err != nil {
		return taskBranch{}, err
	}
	seen, err := b.viewer.Ask(ctx, c, found)
	if err != nil {
		return taskBranch{}, err
	}
	s := seen.Status
	if seen.Unanswered() {
		return taskBranch{}, fault.New(fault.Infra, "the commits of task %s are not known while no worker is answering", found.ID).
			WithHint("try again when one is back, or see `longshift doctor`")
	}
	if s.Head == "" || s.Head == s.BaseCommit {
		return taskBranch{}, fault.New(fault.Conflict, "task %s has no commit yet", found.ID).WithHint("see `longshift status %s`", found.ID)
	}
	t := taskBranch{Task: found.ID, Branch: s.Branch, Base: cmp.Or(s.BaseCommit, s.Base), Head: s.Head}
	repo, err := task.ParseRepository(s.Repository)
	if err != nil {
		return t, err
	}
	if t.Dir = repo.Path; t.Dir == "" {
		err = b.fetch(ctx, repo, s, &t)
	}
	if err != nil {
		return t, err
	}
	if _, err := b.git.Run(ctx, t.Dir, "cat-file", "-e", t.Head+"^{commit}"); err != nil {
		return t, fault.New(fault.NotFound, "commit %.12s of task %s is not in %s", t.Head, t.Task, t.Dir).
			WithHint("it may have been removed after the task ended; see `longshift show %s`", t.Task)
	}
	return t, nil
}

// fetch brings the commits of a task on a forge into the clone of the current folder. It adds objects and changes no branch.
func (b *branchFinder) fetch(ctx context.Context, repo task.Repository, s *signals.Status, t *taskBranch) error {
	dir, err := b.repositories.Here(ctx)
	if err != nil {
		return fault.New(fault.Input, "task %s works on %s, and %w", t.Task, repo.Text, err).WithHint("go to a clone of %s", repo.Text)
	}
	remote, err := b.remoteOf(ctx, dir, repo)
	if err != nil {
		return err
	}
	if remote == "" {
		return fault.New(fault.Input, "task %s works on %s, and %s is no clone of it", t.Task, repo.Text, dir).
			WithHint("go to a clone of it, or add it with `git remote add`")
	}
	ref := task.CheckpointRef(s.TaskID)
	if s.PullRequest != nil {
		ref = fmt.Sprintf("refs/pull/%d/head", s.PullRequest.Number) // also when a fork has the branch
	}
	t.Dir, t.remote = dir, remote
	if err := b.attached(ctx, dir, fault.Infra, "fetch", "--quiet", "--no-tags", remote, ref); err != nil {
		return err
	}
	if t.Head, err = b.git.Run(ctx, dir, "rev-parse", "FETCH_HEAD"); err != nil {
		return fmt.Errorf("git rev-parse FETCH_HEAD: %w", err)
	}
	return nil
}

// attached runs git on the person's terminal. When it fails it has said why; for programs the error says it. failed is the kind of that.
func (b *branchFinder) attached(ctx context.Context, dir string, failed fault.Kind, args ...string) error {
	streams := b.streams
	var said bytes.Buffer
	if !b.printer.IsText() {
		streams.Out, streams.Err = io.Discard, &said
	}
	code, err := b.git.Attached(ctx, dir, streams, args...)
	switch {
	case err != nil || code == 0:
		return err
	case b.printer.IsText():
		return term.Exit{Code: failed.ExitCode()}
	}
	return fault.New(failed, "git %s: %s", args[0], strings.TrimSpace(said.String()))
}

// remoteOf returns the name of the remote of a clone that is the repository, "" for none.
func (b *branchFinder) remoteOf(ctx context.Context, dir string, repo task.Repository) (string, error) {
	conf, err := b.config.Read()
	if err != nil {
		return "", err
	}
	for _, m := range b.remotes.on(ctx, dir, conf.GitHub.Host()) {
		if repo.Owner != "" && strings.EqualFold(m.repository, repo.Owner+"/"+repo.Name) {
			return m.name, nil
		}
	}
	list, err := b.git.Run(ctx, dir, "remote")
	if err != nil {
		return "", err
	}
	for name := range strings.FieldsSeq(list) {
		if address, err := b.git.Run(ctx, dir, "remote", "get-url", name); err == nil && address == repo.Text {
			return name, nil
		}
	}
	return "", ctx.Err()
}
