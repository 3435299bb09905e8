package listen

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// Place is a forge, as far as requests that come from it need it.
type Place interface {
	forge.Watcher
	forge.Talker
}

// viaGitHub is what the record and tasks call the way by which a request came.
const viaGitHub = "github"

// Bound gives the chats that people have bound with a code. When that can't be found out there are none.
func (e *Ear) Bound(ctx context.Context) []signals.Binding {
	all, err := e.bindings(ctx)
	if err != nil {
		e.c.Log.Warn("bound chats are not known", "error", err)
		return nil
	}
	return all
}

// Arrive carries out what somebody asked for on a forge, and says in a line what came of it. Whether they may is asked of the forge
// now: people with write access may start and steer tasks, nobody else, and no bot. Called again it has the effect of one call. An
// error of kind Infra means that it is to be tried again.
func (e *Ear) Arrive(ctx context.Context, ev forge.Event, f Place, label string) (string, error) {
	r := task.Repository{Text: ev.Owner + "/" + ev.Name, Owner: ev.Owner, Name: ev.Name}
	if ev.Bot || ev.Number < 1 {
		return "left alone: not by a person", nil
	}
	switch ev.Kind {
	case forge.IssueWanted:
		return e.wanted(ctx, ev, f, r, label)
	case forge.Commanded:
		return e.commanded(ctx, ev, f, r)
	}
	return "", fault.New(fault.Input, "event %s: %q is no request", ev.ID, ev.Kind)
}

// What is written at an issue that was not started.
const (
	cameLate = "This came late, so nothing was done. If you still mean it, please say it again; label the issue again to start its task."
	hasMoved = "The text has changed since it was labelled. Label it again to start."
)

// wanted starts the task of an issue that somebody with write access has made ours.
func (e *Ear) wanted(ctx context.Context, ev forge.Event, f Place, r task.Repository, label string) (string, error) {
	if e.c.Intakes != nil { // where there is an intake, it alone decides what is taken, and when
		found, err := e.c.Intakes.Look(ctx, ev.Host, ev.Owner, ev.Name, label)
		if err != nil {
			return "", err
		}
		if found {
			return "left to the intake", nil
		}
	}
	issue, by, bot, err := f.Wanted(ctx, r, ev.Number, label)
	if err != nil {
		return "", fmt.Errorf("read issue #%d of %s: %w", ev.Number, r.Text, err)
	}
	if by == "" {
		return "left alone: the issue is not ours, or is closed", nil
	}
	who := e.asEvent(ev, r, by)
	d := deed{verb: Run, task: signals.IssueTaskID(ev.Host, ev.Owner, ev.Name, ev.Number), delivery: ev.ID}
	may := false
	if !bot {
		if may, err = f.MayWrite(ctx, r, by); err != nil {
			return "", fmt.Errorf("ask what %s may do in %s: %w", by, r.Text, err)
		}
	}
	switch {
	case !may:
		e.turnAway(ctx, who, d, "no write access", "")
		return by + " may not: no write access", nil
	case e.late(ev.At, lateOnForge):
		return e.notStarted(ctx, ev, f, r, who, d, tooLate, cameLate)
	case ev.Sum != "" && ev.Sum != forge.IssueSum(issue.Title, issue.Body): // whoever wrote the issue may have edited it since
		return e.notStarted(ctx, ev, f, r, who, d, "the text has changed since it was labelled", hasMoved)
	}
	return e.startIssue(ctx, who, d, r, issue, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
}

// notStarted refuses to start an issue's task, and says so there, once for an event.
func (e *Ear) notStarted(ctx context.Context, ev forge.Event, f Place, r task.Repository, who channel.Event, d deed, reason, text string) (string, error) {
	e.refuse(ctx, who, d, reason, "")
	if err := f.Comment(ctx, r, ev.Number, ev.ID, text); err != nil {
		return "", fmt.Errorf("answer at issue #%d of %s: %w", ev.Number, r.Text, err)
	}
	return "not started: " + reason, nil
}

// commanded carries out a comment that begins with /longshift.
func (e *Ear) commanded(ctx context.Context, ev forge.Event, f Place, r task.Repository) (string, error) {
	who := e.asEvent(ev, r, ev.Actor)
	d := deed{verb: "comment", delivery: ev.ID}
	may, err := f.MayWrite(ctx, r, ev.Actor)
	if err != nil {
		return "", fmt.Errorf("ask what %s may do in %s: %w", ev.Actor, r.Text, err)
	}
	if !may { // and nothing is written: who may not write here is to have no way to make us write
		e.turnAway(ctx, who, d, "no write access", "")
		return ev.Actor + " may not: no write access", nil
	}
	text, err := e.comment(ctx, ev, f, r, who, d)
	if err != nil {
		return "", err
	}
	if _, err := f.React(ctx, r, ev.Comment); err != nil {
		return "", fmt.Errorf("mark comment %d as heard: %w", ev.Comment, err)
	}
	if text.answer != "" {
		if err := f.Comment(ctx, r, ev.Number, ev.ID, text.answer); err != nil {
			return "", fmt.Errorf("answer comment %d: %w", ev.Comment, err)
		}
	}
	return text.reason, nil
}

// asEvent is a request as the rest of this package knows it: from the repository as a room.
func (e *Ear) asEvent(ev forge.Event, r task.Repository, by string) channel.Event {
	return channel.Event{ID: ev.ID, Kind: channel.Said, User: channel.User{ID: by, Name: by}, Direct: true, At: ev.At,
		Room: task.Room{Channel: viaGitHub, ID: fmt.Sprintf("%s#%d", r.Text, ev.Number)}}
}
