package inbound

import (
	"context"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/internal/repo/checkouts"
	"github.com/longshift/longshift/signals"
)

// Projects are the folders that people of chats may work in: those of this process.
type Projects interface {
	List(ctx context.Context) ([]checkouts.Project, error)
	Find(name string) (checkouts.Project, error)
	Info(ctx context.Context, name string) (checkouts.Info, error)
}

// projectVerbs decides about the verb workspaces, which shows the projects and chooses one.
type projectVerbs struct {
	access   access
	projects Projects // nil where there are none
	current  currentProjects
	render   render.Markdown
	now      func() time.Time
}

func (d projectVerbs) decide(ctx context.Context, ev channel.Event, r request, c command.Command) (decision, error) {
	sub, name := c.Project()
	none, given := c.NoProject()
	switch {
	case sub == command.ProjectsSwitch:
		r.verb += " " + sub
		return d.switchTo(ctx, ev, r, name, none)
	case given:
		return answer(d.render.Error(fault.New(fault.Input, "--none belongs to workspaces switch"))), nil
	case d.projects == nil:
		return answer(d.render.Error(checkouts.NotSet())), nil
	case sub == "" || sub == command.ProjectsList && name == "":
		return d.list(ctx, ev)
	case sub == command.ProjectsInfo:
		return d.info(ctx, ev, name)
	}
	return answer(d.render.Error(fault.New(fault.Input, "workspaces does not know %q", render.Line(c.Text, 40)).
		WithHint("write workspaces, workspaces switch NAME, or workspaces info"))), nil
}

// switchTo decides about the current project of a person, in all rooms of the channel. It needs the right to start tasks, because a run
// that names no repository takes that project.
func (d projectVerbs) switchTo(ctx context.Context, ev channel.Event, r request, name string, none bool) (decision, error) {
	if err := d.access.permit(ctx, ev, r, toStart); err != nil {
		return decision{}, err
	}
	if err := d.access.fresh(ev, r); err != nil {
		return decision{}, err
	}
	switch {
	case d.projects == nil && !none:
		return decision{}, r.failed(checkouts.NotSet())
	case none && name != "":
		return decision{}, r.failed(fault.New(fault.Input, "there is a name beside --none").WithHint("give one of the two"))
	case none:
		return decision{action: projectSwitch{request: r, answer: "You have no workspace now.", reason: "left the workspace"}}, nil
	}
	found, err := d.projects.Find(name)
	if err != nil {
		return decision{}, r.failed(err)
	}
	text := "Your workspace is " + d.render.Mono(found.Name) + " now. A `run` that names no repository takes it."
	if !found.Repository {
		text = "Your workspace is " + d.render.Mono(found.Name) + " now. It is no git repository, so no task can run in it."
	}
	return decision{action: projectSwitch{request: r, name: name, answer: text, reason: "switched to " + found.Name}}, nil
}

type projectWriter struct {
	client directoryClient
	render render.Markdown
}

func (w projectWriter) set(ctx context.Context, ev channel.Event, x projectSwitch) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var a signals.WorkspaceAnswer
	err := updateDirectory(ctx, w.client, signals.Switch, ev.ID, signals.SwitchRequest{
		Message: signals.Message{ID: ev.ID, By: w.render.Name(ev.User.Name, ev.User.ID)},
		Channel: ev.Room.Channel, User: ev.User.ID, Workspace: x.name}, &a)
	return outcome{answer: x.answer, reason: x.reason}, err
}

// currentProjects knows the current projects of people.
type currentProjects struct {
	projects Projects // nil where there are none: then the projects that people have chosen do not count
	server   server
	recent   *recent
	log      *slog.Logger
}

// name asks the Directory for the current project of an event's author. It is empty when there is none.
func (p currentProjects) name(ctx context.Context, ev channel.Event) (string, error) {
	var a signals.WorkspaceAnswer
	err := p.server.query(ctx, signals.DirectoryID, "", signals.QueryWorkspace, true, &a,
		signals.WorkspaceQuery{Channel: ev.Room.Channel, User: ev.User.ID})
	switch fault.KindOf(err) {
	case "":
		return a.Workspace, nil
	case fault.NotFound: // no Directory runs: nobody has chosen anything
		return "", nil
	case fault.Work:
		p.log.Error("the directory does not tell the current workspace", "error", err)
		return "", fault.New(fault.Work, "your workspace could not be found out").
			WithHint("name the repository: run owner/name TASK")
	}
	return "", err
}

// repository returns the repository of a run that names none: the author's current project, else the operator's standard one. An event that
// is delivered again has the same one, even if its author has switched since.
func (p currentProjects) repository(ctx context.Context, ev channel.Event, standard string) (string, error) {
	if p.projects == nil {
		return standard, nil
	}
	k := keyOf(ev, "repository")
	if r, ok := p.recent.get(k); ok {
		return r.repository, nil
	}
	name, err := p.name(ctx, ev)
	if err != nil {
		return "", err
	}
	repository := standard
	if name != "" {
		const hint = "choose another with workspaces switch NAME, or none with workspaces switch --none"
		found, err := p.projects.Find(name)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return "", fault.New(fault.NotFound, "your workspace %q is gone", name).WithHint(hint)
		case err != nil:
			return "", fault.New(fault.KindOf(err), "your workspace can't be used: %w", err).WithHint(hint)
		case !found.Repository:
			return "", fault.New(fault.Input, "your workspace %q is not a git repository", name).WithHint(hint)
		}
		repository = found.Path
	}
	p.recent.put(k, resolution{repository: repository})
	return repository, nil
}
