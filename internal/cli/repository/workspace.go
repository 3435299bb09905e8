package repository

import (
	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

// Workspaces are the projects of the operator's folder, of which the user may choose one.
type Workspaces struct {
	env     environ.Environ
	config  *environ.Config
	choices Choices
	say     func(format string, args ...any)
}

func NewWorkspaces(env environ.Environ, config *environ.Config, say func(format string, args ...any)) *Workspaces {
	return &Workspaces{env, config, NewChoices(env), say}
}

// current returns the path of the chosen workspace, and says that it is used. chosen is false where none is, or where the operator
// has no folder of projects.
func (w *Workspaces) current() (path string, chosen bool, err error) {
	conf, err := w.config.Read()
	if err != nil || conf.Channels.Projects == "" {
		return "", false, err
	}
	current, err := w.choices.Read()
	if err != nil || current.Workspace == "" {
		return "", false, err
	}
	folder, err := w.Folder()
	if err != nil {
		return "", false, err
	}
	found, err := StillThere(folder, current)
	if err != nil {
		return "", false, err
	}
	if !found.Repository {
		return "", false, fault.New(fault.NotFound, "the current workspace %s is not a git repository", found.Path).
			WithHint("make it one with `git init`, give --repo, or choose another with `longshift workspaces switch`")
	}
	w.say("in the current workspace %s (%s)", found.Name, found.Path)
	return found.Path, true, nil
}

// StillThere returns the project that was chosen, unless it is gone by now.
func StillThere(folder *checkouts.Folder, current Chosen) (checkouts.Project, error) {
	const way = "choose again with `longshift workspaces switch NAME`, or none with `longshift workspaces switch --none`"
	if current.Projects != folder.Dir() {
		return checkouts.Project{}, fault.New(fault.NotFound, "the current workspace %q lies in %s, and %s is another folder now",
			current.Workspace, current.Projects, checkouts.Variable).WithHint(way)
	}
	found, err := folder.Find(current.Workspace)
	switch fault.KindOf(err) {
	case "":
		return found, nil
	case fault.NotFound:
		return found, fault.New(fault.NotFound, "the current workspace %q is gone", current.Workspace).WithHint(way)
	}
	return found, fault.New(fault.KindOf(err), "the current workspace can't be used: %w", err).WithHint(way)
}

// Complete offers the names of projects.
func (w *Workspaces) Complete(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	folder, err := w.Folder()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := folder.List(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, found := range all {
		names = append(names, found.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Folder opens the operator's folder.
func (w *Workspaces) Folder() (*checkouts.Folder, error) {
	conf, err := w.config.Read()
	if err != nil {
		return nil, err
	}
	if conf.Channels.Projects == "" {
		return nil, checkouts.NotSet()
	}
	git, err := w.env.Program("git")
	if err != nil {
		return nil, err
	}
	return checkouts.Open(conf.Channels.Projects, git)
}
