package activities

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// Known is a deliverable of a specification that earlier tasks have recorded. Of one that is not open only id and description are given.
type Known struct {
	task.Deliverable
	Open     bool   `json:"open,omitempty"`     // pending, blocked or outdated; the others are done, or nobody wants them any more
	Outdated bool   `json:"outdated,omitempty"` // it has passed, on content that has changed since
	Dropped  bool   `json:"dropped,omitempty"`  // nobody wants it any more
	Command  string `json:"command,omitempty"`  // of an outdated one: that had shown it
}

// known adds to out what the status file of the base commit says, for a task that carries out a specification.
func (p *Preparer) known(ctx context.Context, in PrepareInput, ws workspace.Workspace, out *Prepared) error {
	if len(in.Spec) == 0 || in.Branch != "" || ws.BaseCommit == "" {
		return nil
	}
	tree, err := p.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	content, err := deliverable.ContentOf(ctx, tree.Query, ws.BaseCommit)
	if err != nil {
		return err
	}
	file, err := content.File()
	if file == nil || err != nil {
		return err
	}
	for _, s := range file.At(content).All {
		k := Known{Deliverable: task.Deliverable{ID: s.ID, Description: s.Description}, Dropped: s.State == deliverable.Deprecated}
		if k.Open = s.State != deliverable.Passed && !k.Dropped; k.Open {
			k.Acceptance, k.Proof, k.Status, k.Reason = s.Acceptance, s.Proof, s.Status, s.Reason
		}
		if k.Outdated = s.State == deliverable.Outdated; k.Outdated {
			k.Command, k.Reason = s.Evidence.Command, s.Why
		}
		out.Known = append(out.Known, k)
	}
	out.Planned = len(out.Known) > 0 && maps.Equal(file.Spec, content.Spec(in.Spec))
	if out.Others = file.Others(content, in.Spec); len(out.Others) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s also lists deliverables of %s, which this task does not name: they are to stay "+
			"as they are; a specification of several files is named as a whole, with --spec for each", deliverable.Path,
			visible(strings.Join(out.Others, ", "))))
	}
	return nil
}

// CheckOut gives the workspace what is committed, and nothing else: for a command whose result is evidence.
func (g *Git) CheckOut(ctx context.Context, in Ref) error {
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := remove.All(cleanHomeOf(g.data, in.TaskID)); err != nil {
		return fault.New(fault.Infra, "remove the home folder of an earlier run: %w", err)
	}
	return tree.CheckOut(ctx)
}

// RecordInput asks for the status file of a specification, in a commit of its own.
type RecordInput struct {
	Ref
	Spec         []string   `json:"spec"` // files and folders of the specification
	Deliverables []Recorded `json:"deliverables"`
	Deprecated   []string   `json:"deprecated,omitempty"` // ids of those that the specification no longer asks for
	Partial      bool       `json:"partial,omitempty"`    // a part of the specification is, or may be, left out
	Head         string     `json:"head"`                 // the commit that they have come to this at
	At           time.Time  `json:"at,omitzero"`
}

// Recorded is a deliverable with what is to be recorded of it.
type Recorded struct {
	task.Deliverable
	Command string `json:"command,omitempty"` // that has passed; its run is Proved
	Session string `json:"session,omitempty"` // UUID of the session that worked on it last
	Made    []Span `json:"made,omitempty"`    // its commits
	Renewed bool   `json:"renewed,omitempty"` // it is shown again, and nothing had to change for it

	Verified string `json:"verified,omitempty"` // UUID of the session that has confirmed it, another one than Session
}

// Span is what lies between two commits.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// RecordDeliverables writes the status file, commits it and pushes the checkpoint. It returns the head of the branch. What the file has
// that the plan has not stays in it.
func (g *Git) RecordDeliverables(ctx context.Context, in RecordInput) (Committed, error) {
	tree, err := g.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Committed{}, err
	}
	defer tree.Close()
	if err := tree.Holds(ctx, in.Head); err != nil {
		return Committed{}, fmt.Errorf("record the deliverables: %w", err)
	}
	content, err := deliverable.ContentOf(ctx, tree.Query, in.Head)
	if err != nil {
		return Committed{}, err
	}
	file, err := content.File()
	if err != nil {
		return Committed{}, err
	}
	if file == nil {
		file = deliverable.New()
	}
	file.Specify(content, in.Spec, in.Partial)
	for _, r := range in.Deliverables {
		was, _ := file.Find(r.ID)
		e, err := entry(ctx, tree, content, in, r, was)
		if err != nil {
			return Committed{}, err
		}
		file.Record(e)
	}
	file.Deprecate(in.Deprecated, in.At)
	data, err := file.Bytes()
	if err != nil {
		return Committed{}, fault.New(fault.Internal, "%w", err)
	}
	c, err := tree.CommitFile(ctx, deliverable.Path, data, "chore: record what the deliverables have come to")
	if err != nil {
		return Committed{}, err
	}
	if err := tree.Checkpoint(ctx); err != nil {
		return Committed{}, fmt.Errorf("push the checkpoint: %w", err)
	}
	return Committed{Commit: c.ID, Created: c.Created}, nil
}

// entry is what the status file says of a deliverable, of which it has said was. One that has passed without a command that shows it, or
// without a file that this could be bound to, is pending.
func entry(
	ctx context.Context, tree *workspace.Tree, content *deliverable.Content, in RecordInput, r Recorded, was deliverable.Entry,
) (deliverable.Entry, error) {
	e := deliverable.Entry{ID: r.ID, Description: r.Description, Acceptance: r.Acceptance, Proof: r.Proof, Status: r.Status, Reason: r.Reason}
	switch {
	case r.Status == task.Blocked:
		e.Reason = cmp.Or(r.Reason, "the session has given no reason")
		return e, nil
	case r.Status != task.Passed:
		return e, nil
	case r.Proved == nil || r.Command == "":
		e.Status, e.Reason = task.Pending, "no command has shown that it is done"
		return e, nil
	}
	e.Guard = r.Proved.Guard
	files, err := changedIn(ctx, tree, in.Head, r.Made)
	if err != nil {
		return e, err
	}
	if was.Evidence != nil { // what the work was bound to still is its work, whatever had to change now
		files = slices.AppendSeq(files, maps.Keys(was.Evidence.Files))
		slices.Sort(files)
		files = slices.Compact(files)
	}
	if r.Renewed && was.Evidence != nil && was.Evidence.Command == r.Command { // which passes before work that was done long ago
		e.Guard = was.Guard
	}
	bound := content.Bind(files)
	if len(bound) == 0 {
		return deliverable.Entry{ID: e.ID, Description: e.Description, Acceptance: e.Acceptance, Proof: e.Proof, Status: task.Pending,
			Reason: "it has changed no file that evidence could be bound to"}, nil
	}
	if r.Verified != "" {
		e.Verified = &deliverable.Verified{Session: r.Verified, Time: in.At.UTC().Truncate(time.Second)}
	}
	e.Evidence = &deliverable.Evidence{Command: r.Command, Tests: r.Proved.Ran, Output: r.Proved.Output, Commit: r.Proved.Commit,
		Files: bound, Check: content.Check(r.Command), Session: r.Session, Time: r.Proved.At.UTC().Truncate(time.Second)}
	return e, nil
}

// changedIn lists the files that commits have changed, sorted. Commits that the head does not hold are left out.
func changedIn(ctx context.Context, tree *workspace.Tree, head string, made []Span) ([]string, error) {
	var files []string
	for _, s := range made {
		held, err := tree.Query(ctx, "merge-base", s.To, head)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || held != s.To {
			continue
		}
		text, err := tree.Query(ctx, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--ignore-submodules=none", s.From, s.To, "--")
		if err != nil {
			return nil, err
		}
		files = append(files, strings.FieldsFunc(text, func(c rune) bool { return c == 0 })...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
