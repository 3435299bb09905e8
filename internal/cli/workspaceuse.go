package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/projects"
)

// outsideOfAny tells git's answer in a folder that no repository is around from its other complaints.
func outsideOfAny(err error) bool {
	return err != nil && strings.Contains(err.Error(), "not a git repository (or any")
}

// workspace gives the path of the current workspace, and says that it is taken. chosen is false where none is, or where the operator
// has no folder of projects.
func (p *program) workspace() (path string, chosen bool, err error) {
	conf, err := p.config()
	if err != nil || conf.Projects == "" {
		return "", false, err
	}
	current, err := p.chosen()
	if err != nil || current.Workspace == "" {
		return "", false, err
	}
	folder, err := p.projects()
	if err != nil {
		return "", false, err
	}
	found, err := p.stillThere(folder, current)
	if err != nil {
		return "", false, err
	}
	if !found.Repository {
		return "", false, fault.New(fault.NotFound, "the current workspace %s is not a git repository", found.Path).
			WithHint("make it one with `git init`, give --repo, or choose another with `longshift workspaces switch`")
	}
	p.say("in the current workspace %s (%s)", found.Name, found.Path)
	return found.Path, true, nil
}

// stillThere gives the project that was chosen, unless it is gone by now.
func (p *program) stillThere(folder *projects.Folder, current chosen) (projects.Project, error) {
	const way = "choose again with `longshift workspaces switch NAME`, or none with `longshift workspaces switch --none`"
	if current.Projects != folder.Dir() {
		return projects.Project{}, fault.New(fault.NotFound, "the current workspace %q lies in %s, and %s is another folder now", current.Workspace, current.Projects, projects.Variable).WithHint(way)
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

// completeWorkspace offers the names of projects.
func (p *program) completeWorkspace(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	folder, err := p.projects()
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
