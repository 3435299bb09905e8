package listen

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/projects"
	"github.com/longshift/longshift/signals"
)

// Projects are the folders that people of chats may work in: those of the process that listens.
type Projects interface {
	List(ctx context.Context) ([]projects.Project, error)
	Find(name string) (projects.Project, error)
	Info(ctx context.Context, name string) (projects.Info, error)
}

// What stands behind the verb workspaces.
const (
	spaceList   = "list"
	spaceInfo   = "info"
	spaceSwitch = "switch"
)

const optNone = "none"

// spaceCommand reads what stands behind the verb.
func spaceCommand(text string) (sub, name string) {
	sub, name = cutWord(text)
	return strings.ToLower(sub), unquoted(name)
}

// isSpaceSentence tells whether words behind the verb are none of its own.
func isSpaceSentence(text string) bool {
	sub, name := spaceCommand(text)
	switch sub {
	case "", spaceSwitch:
		return false
	case spaceList:
		return name != "" && !strings.HasPrefix(name, "-")
	case spaceInfo:
		return len(strings.Fields(name)) > 1
	}
	return true
}

// workspaces shows the projects, and lets people choose one. To choose is the first half of starting a task.
func (e *Ear) workspaces(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	sub, name := spaceCommand(c.Text)
	_, none := c.Options[optNone]
	if sub == spaceSwitch {
		d.verb = c.Verb + " " + spaceSwitch
		return e.switchTo(ctx, ev, d, name, none && c.Options[optNone] == "true")
	}
	switch {
	case none:
		return channel.Answer{Text: e.said(fault.New(fault.Input, "--%s belongs to workspaces switch", optNone))}, nil
	case e.c.Projects == nil:
		return channel.Answer{Text: e.said(projects.NotSet())}, nil
	case sub == "" || sub == spaceList && name == "":
		return e.listSpaces(ctx, ev)
	case sub == spaceInfo:
		return e.showSpace(ctx, ev, name)
	}
	return channel.Answer{Text: e.said(fault.New(fault.Input, "workspaces does not know %q", clip(oneLine(c.Text), 40)).
		WithHint("write workspaces, workspaces switch NAME, or workspaces info"))}, nil
}

// switchTo makes a workspace the current one of whoever says so, in all rooms of the channel; none for none.
func (e *Ear) switchTo(ctx context.Context, ev channel.Event, d deed, name string, none bool) (channel.Answer, error) {
	if ok, a, err := e.permit(ctx, ev, d, toStart); !ok {
		return a, err
	}
	if e.late(ev.At, lateInChat) {
		return e.refuseLate(ctx, ev, d), nil
	}
	if e.c.Projects == nil && !none {
		return e.failed(ctx, ev, d, projects.NotSet())
	}
	text, reason := "You have no workspace now.", "left the workspace"
	switch {
	case none && name != "":
		return e.failed(ctx, ev, d, fault.New(fault.Input, "there is a name beside --%s", optNone).WithHint("give one of the two"))
	case !none:
		found, err := e.c.Projects.Find(name)
		if err != nil {
			return e.failed(ctx, ev, d, err)
		}
		text, reason = "Your workspace is "+e.mono(found.Name)+" now. A `run` that names no repository takes it.", "switched to "+found.Name
		if !found.Repository {
			text = "Your workspace is " + e.mono(found.Name) + " now. It is no git repository, so no task can run in it."
		}
	}
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		request := signals.SwitchRequest{Message: signals.Message{ID: ev.ID, By: e.name(ev.User)}, Channel: ev.Room.Channel, User: ev.User.ID, Workspace: name}
		var a signals.WorkspaceAnswer
		if err := toDirectory(ctx, e.c.Client, signals.Switch, ev.ID, request, &a); err != nil {
			return done{}, err
		}
		return done{answer: text, reason: reason}, nil
	})
}

// ownSpace asks the Directory for the workspace of whoever speaks. Empty is none.
func (e *Ear) ownSpace(ctx context.Context, ev channel.Event) (string, error) {
	var a signals.WorkspaceAnswer
	err := e.query(ctx, signals.DirectoryID, "", signals.QueryWorkspace, true, &a, signals.WorkspaceQuery{Channel: ev.Room.Channel, User: ev.User.ID})
	switch fault.KindOf(err) {
	case "":
		return a.Workspace, nil
	case fault.NotFound: // nobody has chosen anything
		return "", nil
	case fault.Work:
		e.c.Log.Error("the directory does not tell the current workspace", "error", err)
		return "", fault.New(fault.Work, "your workspace could not be found out").WithHint("name the repository: run owner/name what is to be done")
	}
	return "", err
}

// standing gives the repository of a run that names none: the workspace of whoever says it, else the operator's. The same message means
// the same one when it comes again, whatever has been chosen since.
func (e *Ear) standing(ctx context.Context, ev channel.Event) (string, error) {
	if e.c.Projects == nil {
		return e.c.Repository, nil
	}
	k := keyOf(ev, "repository")
	if r, again := e.memory.recall(k); again {
		return r.repository, nil
	}
	repository := e.c.Repository
	name, err := e.ownSpace(ctx, ev)
	if err != nil {
		return "", err
	}
	if name != "" {
		const way = "choose another with workspaces switch NAME, or none with workspaces switch --none"
		found, err := e.c.Projects.Find(name)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return "", fault.New(fault.NotFound, "your workspace %q is gone", name).WithHint(way)
		case err != nil:
			return "", fault.New(fault.KindOf(err), "your workspace can't be used: %w", err).WithHint(way)
		case !found.Repository:
			return "", fault.New(fault.Input, "your workspace %q is not a git repository", name).WithHint(way)
		}
		repository = found.Path
	}
	e.memory.keep(k, resolved{repository: repository})
	return repository, nil
}
