package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/projects"
)

func (p *program) workspacesCommand() *cobra.Command {
	list := func(c *cobra.Command, _ []string) error { return p.listWorkspaces(c.Context()) }
	ends := exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitInterrupt)
	c := &cobra.Command{
		Use:   "workspaces",
		Short: "List your projects, and choose the one that tasks run in",
		Long: `List the projects in the folder LONGSHIFT_PROJECTS, and choose the one that tasks run in. Only folders that lie directly in it
count; links do not. The choice is kept for you on this machine: ` + "`longshift run`" + ` outside of a git repository takes it. A git
repository that you are in, and --repo, come before it.`,
		Example:     "  longshift workspaces\n  longshift workspaces switch web\n  longshift workspaces info",
		Args:        takes(0, 0, ""),
		Annotations: ends,
		RunE:        list,
	}
	none := false
	switching := &cobra.Command{
		Use: "switch <name>", Short: "Choose the workspace that tasks run in", Example: "  longshift workspaces switch web\n  longshift workspaces switch --none",
		Annotations: ends, ValidArgsFunction: p.completeWorkspace,
		Args: func(c *cobra.Command, args []string) error {
			if none {
				return takes(0, 0, "")(c, args)
			}
			return takes(1, 1, "the name of the workspace")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if none {
				return p.leaveWorkspace()
			}
			return p.switchWorkspace(args[0])
		},
	}
	switching.Flags().BoolVar(&none, "none", false, "choose none")
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List your projects", Example: "  longshift workspaces list\n  longshift workspaces list -o jsonl | jq -r .name",
		Args: takes(0, 0, ""), Annotations: ends, RunE: list,
	}, switching, &cobra.Command{
		Use: "info [name]", Short: "Show a workspace: path, branch, files, newest commits", Example: "  longshift workspaces info\n  longshift workspaces info web -o json",
		Args: takes(0, 1, ""), Annotations: ends, ValidArgsFunction: p.completeWorkspace,
		RunE: func(c *cobra.Command, args []string) error {
			return p.showWorkspace(c.Context(), strings.Join(args, ""), len(args) > 0)
		},
	})
	return c
}

// projects opens the operator's folder.
func (p *program) projects() (*projects.Folder, error) {
	conf, err := p.config()
	if err != nil {
		return nil, err
	}
	if conf.Projects == "" {
		return nil, projects.NotSet()
	}
	git, err := p.findProgram("git")
	if err != nil {
		return nil, err
	}
	return projects.Open(conf.Projects, git)
}

// workspaceRow is a project in the list.
type workspaceRow struct {
	projects.Project
	Current bool `json:"current"`
}

func (p *program) listWorkspaces(ctx context.Context) error {
	folder, err := p.projects()
	if err != nil {
		return err
	}
	current, err := p.chosen()
	if err != nil {
		return err
	}
	all, err := folder.List(ctx)
	if err != nil {
		return err
	}
	rows := make([]workspaceRow, 0, len(all))
	for _, found := range all {
		rows = append(rows, workspaceRow{found, current.Projects == folder.Dir() && current.Workspace == found.Name})
	}
	if len(rows) == 0 && p.format == formatText {
		p.say("no folders in %s", folder.Dir())
		return nil
	}
	return p.print(rows, func() string { return p.fitted(workspaceTable(rows)) })
}

func (p *program) switchWorkspace(name string) error {
	folder, err := p.projects()
	if err != nil {
		return err
	}
	found, err := folder.Find(name)
	if err != nil {
		return err
	}
	if err := p.choose(chosen{folder.Dir(), found.Name}); err != nil {
		return err
	}
	if !found.Repository {
		p.say("%s is no git repository: no task can run in it", found.Path)
	}
	return p.print(workspaceRow{found, true}, func() string { return fmt.Sprintf("workspace %s: %s\n", found.Name, plain(found.Path)) })
}

func (p *program) leaveWorkspace() error {
	was, err := p.forget()
	if err != nil {
		return err
	}
	return p.print(map[string]bool{"forgotten": was}, func() string { return "no workspace is chosen\n" })
}

func (p *program) showWorkspace(ctx context.Context, name string, named bool) error {
	folder, err := p.projects()
	if err != nil {
		return err
	}
	current, err := p.chosen()
	if err != nil {
		return err
	}
	switch {
	case named:
	case current.Workspace == "":
		return fault.New(fault.Input, "no workspace is chosen").WithHint("name one, or choose it with `longshift workspaces switch`")
	default:
		if _, err := p.stillThere(folder, current); err != nil {
			return err
		}
		name = current.Workspace
	}
	info, err := folder.Info(ctx, name)
	if err != nil {
		return err
	}
	return p.print(info, func() string { return workspaceText(info, p.clock.now()) })
}
