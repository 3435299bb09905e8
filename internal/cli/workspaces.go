package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

// workspacesOptions are what the commands of workspaces use.
type workspacesOptions struct {
	workspaces *repository.Workspaces
	choices    repository.Choices
	printer    *term.Printer
	now        func() time.Time
}

func newWorkspacesCommand(f *factory) *cobra.Command {
	o := &workspacesOptions{f.workspaces, repository.NewChoices(f.env), f.printer, f.clock.Now}
	list := func(c *cobra.Command, _ []string) error { return o.list(c.Context()) }
	ends := command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitInterrupt)
	c := &cobra.Command{
		Use:   "workspaces",
		Short: "List your projects, and choose the one that tasks run in",
		Long: `List the projects in the folder LONGSHIFT_PROJECTS, and choose the one that tasks run in. Only folders that lie directly in it
count; links do not. The choice is kept for you on this machine: ` + "`longshift run`" + ` outside of a git repository takes it. A git
repository that you are in, and --repo, come before it.`,
		Example:     "  longshift workspaces\n  longshift workspaces switch web\n  longshift workspaces info",
		Args:        command.Takes(0, 0, ""),
		Annotations: ends,
		RunE:        list,
	}
	none := false
	switching := &cobra.Command{
		Use: "switch <name>", Short: "Choose the workspace that tasks run in",
		Example:     "  longshift workspaces switch web\n  longshift workspaces switch --none",
		Annotations: ends, ValidArgsFunction: o.workspaces.Complete,
		Args: func(c *cobra.Command, args []string) error {
			if none {
				return command.Takes(0, 0, "")(c, args)
			}
			return command.Takes(1, 1, "the name of the workspace")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if none {
				return o.leave()
			}
			return o.choose(args[0])
		},
	}
	switching.Flags().BoolVar(&none, "none", false, "choose none")
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List your projects", Example: "  longshift workspaces list\n  longshift workspaces list -o jsonl | jq -r .name",
		Args: command.Takes(0, 0, ""), Annotations: ends, RunE: list,
	}, switching, &cobra.Command{
		Use: "info [name]", Short: "Show a workspace: path, branch, files, newest commits",
		Example: "  longshift workspaces info\n  longshift workspaces info web -o json",
		Args:    command.Takes(0, 1, ""), Annotations: ends, ValidArgsFunction: o.workspaces.Complete,
		RunE: func(c *cobra.Command, args []string) error {
			return o.show(c.Context(), strings.Join(args, ""), len(args) > 0)
		},
	})
	return c
}

// workspaceRow is a project in the list.
type workspaceRow struct {
	checkouts.Project
	Current bool `json:"current"`
}

func (o *workspacesOptions) list(ctx context.Context) error {
	folder, err := o.workspaces.Folder()
	if err != nil {
		return err
	}
	current, err := o.choices.Read()
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
	if len(rows) == 0 && o.printer.IsText() {
		o.printer.Say("no folders in %s", folder.Dir())
		return nil
	}
	return o.printer.Print(rows, func() string { return o.printer.Fit(workspaceTable(rows)) })
}

func (o *workspacesOptions) choose(name string) error {
	folder, err := o.workspaces.Folder()
	if err != nil {
		return err
	}
	found, err := folder.Find(name)
	if err != nil {
		return err
	}
	if err := o.choices.Write(repository.Chosen{Projects: folder.Dir(), Workspace: found.Name}); err != nil {
		return err
	}
	if !found.Repository {
		o.printer.Say("%s is no git repository: no task can run in it", found.Path)
	}
	return o.printer.Print(workspaceRow{found, true}, func() string {
		return fmt.Sprintf("workspace %s: %s\n", found.Name, term.Plain(found.Path))
	})
}

func (o *workspacesOptions) leave() error {
	was, err := o.choices.Remove()
	if err != nil {
		return err
	}
	return o.printer.Print(map[string]bool{"forgotten": was}, func() string { return "no workspace is chosen\n" })
}

func (o *workspacesOptions) show(ctx context.Context, name string, named bool) error {
	folder, err := o.workspaces.Folder()
	if err != nil {
		return err
	}
	current, err := o.choices.Read()
	if err != nil {
		return err
	}
	switch {
	case named:
	case current.Workspace == "":
		return fault.New(fault.Input, "no workspace is chosen").WithHint("name one, or choose it with `longshift workspaces switch`")
	default:
		if _, err := repository.StillThere(folder, current); err != nil {
			return err
		}
		name = current.Workspace
	}
	info, err := folder.Info(ctx, name)
	if err != nil {
		return err
	}
	return o.printer.Print(info, func() string { return workspaceText(info, o.now()) })
}
