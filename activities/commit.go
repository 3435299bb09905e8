package activities

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Git commits, merges and pushes the work in workspaces.
type Git struct {
	data       string
	workspaces *workspace.Manager
	prestarter *prestarter
	inspector  *inspector
	redact     *redact.Redactor
}

// CommitInput asks for a commit of a session's work, and for a checkpoint.
type CommitInput struct {
	Ref
	Session    int           `json:"session"` // number of the session; the commit's key
	Message    string        `json:"message"`
	Specs      string        `json:"specs,omitempty"` // folder that stays out of commits
	BaseCommit string        `json:"baseCommit,omitempty"`
	Since      string        `json:"since,omitempty"` // the last commit that was reported, or the base commit
	Next       *SessionInput `json:"next,omitempty"`  // the session that most likely follows

	Paths   task.PathSettings `json:"paths,omitzero"`    // the task's settings for paths
	Planned []string          `json:"planned,omitempty"` // files that the approved plan opens
}

// Committed is the state of the branch afterwards.
type Committed struct {
	Commit  string `json:"commit"`            // head of the branch
	Created bool   `json:"created,omitempty"` // there was something to commit

	// Earlier are commits of sessions that have not been reported, the oldest first: those who made them were cut off.
	Earlier []signals.Commit `json:"earlier,omitempty"`

	Failed  string   `json:"failed,omitempty"`  // why there is no commit; the work is still in the workspace
	Leak    bool     `json:"leak,omitempty"`    // it failed because the work holds a secret
	Refused bool     `json:"refused,omitempty"` // it failed because of the work itself: the agent can repair it
	Forged  bool     `json:"forged,omitempty"`  // the session had changed the status file of the specification; that was undone
	Apart   string   `json:"apart,omitempty"`   // where the session has left work, and nothing else, that no commit takes
	Notes   []string `json:"notes,omitempty"`   // what people should know: files that were left out, large files
	Files   int      `json:"files,omitempty"`   // changed since the base, with the lines
	Added   int      `json:"added,omitempty"`
	Deleted int      `json:"deleted,omitempty"`

	Sensitive []task.Finding     `json:"sensitive,omitempty"` // changes since the base that deserve a second look
	ToRead    []task.ChangedFile `json:"toRead,omitempty"`    // changed files, those to read first in front; not all of many
	Routine   int                `json:"routine,omitempty"`   // lines in all files that programs write
}

// CommitWork commits the session's work and pushes the checkpoint. A failed commit is a result, not an error: the task goes on.
func (g *Git) CommitWork(ctx context.Context, in CommitInput) (Committed, error) {
	g.prestarter.start(ctx, in.Next)
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Committed{}, err
	}
	defer tree.Close()
	paths := pathScope{PathSettings: in.Paths, planned: in.Planned}
	spec := workspace.CommitSpec{Key: strconv.Itoa(in.Session), Message: in.Message, Exclude: exclude(in.Specs), Own: deliverable.Path, Since: in.Since}
	if closed, err := paths.closed(); err != nil {
		return Committed{}, err
	} else if closed != nil {
		spec.Closed = func(path string) bool { return closed(path) != "" }
	}
	var out Committed
	c, err := tree.Commit(ctx, spec)
	switch {
	case err == nil:
		out.Commit, out.Created, out.Earlier = c.ID, c.Created, g.bySessions(c.Earlier)
		out.Forged = slices.ContainsFunc(c.LeftOut, func(file string) bool { return strings.HasPrefix(file, deliverable.Path+" ") })
		if !c.Created && len(c.Earlier) == 0 && len(c.Apart) > 0 {
			out.Apart = notes(g.redact, about{"nothing is left to commit, and there is work where no commit takes it", c.Apart})[0]
		}
		lacking, err := unfilled(ctx, tree)
		if err != nil {
			return out, err
		}
		list := append([]about{{"left out of the commit", c.LeftOut}, {"large files in the commit", c.Large}}, lacking...)
		if c.MadeToo {
			list = append(list, about{"files of setup or the check in the commit, because they are too many to be told from the work",
				[]string{"list their folder in .gitignore"}})
		}
		out.Notes = notes(g.redact, list...)
	case ctx.Err() != nil:
		return out, ctx.Err()
	case isOneOf(err, fault.Fenced, fault.NotFound, fault.Denied, fault.Infra, fault.Internal):
		return out, err
	default:
		out.Failed, out.Refused = excerpt.Tail(g.redact.String(joinText(err.Error(), fault.HintOf(err))), 500), fault.KindOf(err) == fault.Work
	}
	if leak := g.inspector.leaks(ctx, tree); fault.KindOf(leak) == fault.Leak {
		if err := tree.Uncommit(ctx); err != nil {
			return out, err
		}
		return Committed{Failed: excerpt.Tail(g.redact.String(leak.Error()), 2000), Leak: true}, nil
	} else if leak != nil {
		return out, leak
	}
	pushed := make(chan error, 1)
	go func() { pushed <- tree.Checkpoint(ctx) }()
	looked := g.look(ctx, tree, in.BaseCommit, paths, &out) // beside the push, which takes as long as the remote does
	if err := <-pushed; err != nil {
		return out, fmt.Errorf("push the checkpoint: %w", err)
	}
	return out, looked
}

// bySessions are the commits whose keys are numbers of sessions; other keys are those of merges and of the status file.
func (g *Git) bySessions(all []workspace.Earlier) (list []signals.Commit) {
	for _, c := range all {
		if _, err := strconv.Atoi(c.Key); err == nil {
			list = append(list, signals.Commit{ID: c.ID, Subject: g.redact.String(c.Subject)})
		}
	}
	return list
}

// look notes what has changed since the base. It only reads.
func (g *Git) look(ctx context.Context, tree *workspace.Tree, base string, paths pathScope, out *Committed) error {
	sizes, err := tree.Diffs.Sizes(ctx, base)
	if err != nil {
		return fmt.Errorf("count the changes: %w", err)
	}
	for _, s := range sizes {
		out.Files, out.Added, out.Deleted = out.Files+1, out.Added+s.Added, out.Deleted+s.Removed
	}
	return g.inspector.read(ctx, tree, paths, sizes, out)
}

// about is a list of files that people should know of, and what is special about them.
type about struct {
	what string
	list []string
}

// notes writes each list as one line.
func notes(r *redact.Redactor, all ...about) (lines []string) {
	for _, n := range all {
		const most = 10
		if len(n.list) == 0 {
			continue
		}
		text := n.what + ": " + strings.Join(n.list[:min(len(n.list), most)], ", ")
		if more := len(n.list) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, excerpt.Line(r.String(visible(text)), 600))
	}
	return lines
}

func exclude(specs string) []string {
	if specs == "" {
		return nil
	}
	return []string{specs}
}

func isOneOf(err error, kinds ...fault.Kind) bool {
	return slices.Contains(kinds, fault.KindOf(err))
}
