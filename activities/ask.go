package activities

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// session turns the input into the session that the agent runs, with its prompt.
func (r *sessionRun) session(ctx context.Context) (agent.Session, error) {
	s, err := r.of.launcher.start(ctx, r.in, r.rec)
	if err != nil {
		return agent.Session{}, err
	}
	data := r.in.Prompt
	data.Resumed, data.Tools, data.Unset = s.Resume, r.in.byTools(), lacking(r.in.NeedsEnv, s.Env, s.CommandEnv)
	if r.in.Role == task.Reviewer {
		diff, err := r.tree.Diffs.Since(ctx, data.BaseCommit)
		if err != nil {
			return agent.Session{}, fmt.Errorf("diff for the review: %w", err)
		}
		if data.Diff = diff.Text; diff.Cut {
			if data.DiffPath, err = r.writeDiff(ctx, s.StateDir); err != nil {
				return agent.Session{}, err
			}
		}
		if data.Sensitive, err = r.of.inspector.findings(ctx, r.tree, r.in.scope()); err != nil {
			return agent.Session{}, err
		}
	}
	if err := r.writeContext(data); err != nil {
		return agent.Session{}, err
	}
	user := prompt.User
	if r.in.Nudge && s.Resume { // on another host the session starts over, with the whole prompt
		user = prompt.Nudge
	}
	if s.Prompt, err = user(r.in.Role, data); err != nil {
		return agent.Session{}, err
	}
	if s.Resume && !r.in.Nudge {
		if s.Again, err = prompt.Again(r.in.Role, data); err != nil {
			return agent.Session{}, err
		}
	}
	if !r.over {
		if s.Images, err = r.of.images.of(ctx, r.in); err != nil {
			return agent.Session{}, err
		}
	}
	if err := r.rec.begin(r.in.Ask); err != nil {
		return agent.Session{}, err
	}
	s.Wall = max(r.in.Wall-r.rec.state.Spent, min(r.in.Wall, time.Minute)) // earlier attempts count too
	return s, nil
}

// writeContext keeps, for people, what the session knows of the task so far, and which changes its review has to look at twice.
func (r *sessionRun) writeContext(data prompt.Data) error {
	var twice []string
	for _, f := range data.Sensitive {
		twice = append(twice, f.String())
	}
	hide := r.of.redact.String
	return errors.Join(r.rec.write("session", r.in.Ask, hide(prompt.SoFar(data))), r.rec.write("second-look", r.in.Ask, hide(bullets(twice))))
}

// changeFile holds a change that is too long for the prompt, in the session's own folder.
const changeFile = "change.diff"

// writeDiff puts a change that is too long for a prompt into a file that the session can read.
func (r *sessionRun) writeDiff(ctx context.Context, dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fault.New(fault.Infra, "open the session's folder: %w", err)
	}
	defer root.Close()
	if err := root.RemoveAll(changeFile); err != nil { // an earlier attempt may have left anything there
		return "", fault.New(fault.Infra, "write the change: %w", err)
	}
	f, err := root.OpenFile(changeFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fault.New(fault.Infra, "write the change: %w", err)
	}
	if err := errors.Join(r.tree.Diffs.Write(ctx, r.in.Prompt.BaseCommit, f), f.Close()); err != nil {
		return "", fmt.Errorf("write the change: %w", err)
	}
	return filepath.Join(dir, changeFile), nil
}
