package setup

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// configOptions are what config show uses, and its flags.
type configOptions struct {
	env          environ.Environ
	config       *environ.Config
	configs      command.ConfigReader
	repositories *repository.Repositories
	printer      *term.Printer
	resolve      func(ctx context.Context, process config.Config, dir, base string, overrides *task.Config) (Resolved, error)

	repo, base string
	set        command.ConfigFlags
}

// NewConfigCommand makes the command config.
func NewConfigCommand(u Uses) *cobra.Command {
	c := &cobra.Command{
		Use:         "config",
		Short:       "Show the configuration",
		Example:     "  longshift config show",
		Args:        cobra.ArbitraryArgs,
		RunE:        command.NeedsCommand,
		Annotations: command.Exits(),
	}
	c.AddCommand(newConfigShowCommand(u))
	return c
}

func newConfigShowCommand(u Uses) *cobra.Command {
	o := &configOptions{env: u.Env, config: u.Config, configs: u.Configs, repositories: u.Repositories, printer: u.Printer, resolve: u.Resolve}
	c := &cobra.Command{
		Use:   "show",
		Short: "Show every value and where it comes from",
		Long: `Show every value and where it comes from: the variables of this process, and, in a git repository, what a
task there would run with. Secrets are hidden.`,
		Example: "  longshift config show\n  longshift config show --repo ~/src/web --base release --config budget.cost=5\n" +
			"  longshift config show -o json | jq .task",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().StringVar(&o.repo, "repo", "", "`path` of a git repository (default: the one of the current folder)")
	c.Flags().StringVar(&o.base, "base", "", "`branch` that the task would start from")
	o.set.Define(c.Flags(), "a task")
	return c
}

// shownConfig is the whole configuration.
type shownConfig struct {
	Process    []config.Variable `json:"process"`
	Repository string            `json:"repository,omitempty"`
	Task       []Setting         `json:"task,omitempty"`
	Warnings   []string          `json:"warnings,omitempty"`
	Unknown    []string          `json:"unknown,omitempty"` // variables that look like ours
}

func (o *configOptions) run(ctx context.Context) error {
	conf, err := o.config.Read()
	if err != nil {
		return err
	}
	shown := shownConfig{Process: conf.Describe()}
	for i, v := range shown.Process {
		if slices.Contains(o.env.Settings, v.Name) {
			shown.Process[i].Origin = config.File(o.env.Lookup)
		}
	}
	for name := range config.Unknown(o.env.Vars) {
		shown.Unknown = append(shown.Unknown, name)
	}
	sort.Strings(shown.Unknown)
	if shown.Repository, err = o.repositories.Find(ctx, o.repo); err != nil && (o.repo != "" || ctx.Err() != nil) {
		return err
	}
	if err != nil && (o.base != "" || o.set.Given()) {
		return err
	}
	if err == nil {
		r, err := o.resolved(ctx, conf, shown.Repository)
		if err != nil {
			return err
		}
		shown.Task, shown.Warnings = r.Settings, r.Warnings
	}
	return o.printer.Print(shown, func() string { return o.printer.Fit(configText(shown)) })
}

// resolved returns what a task in the repository would run with.
func (o *configOptions) resolved(ctx context.Context, conf config.Config, repository string) (Resolved, error) {
	if r, err := task.ParseRepository(repository); err != nil || r.Path == "" {
		return Resolved{}, fault.New(fault.Input, "--repo %s: only a repository on this machine can be shown", repository).
			WithHint("give the path of a clone")
	}
	own, err := o.configs.Read(o.set)
	if err != nil {
		return Resolved{}, err
	}
	return o.resolve(ctx, conf, repository, o.base, own)
}

func configText(c shownConfig) string {
	rows := make([][]string, 0, len(c.Process))
	for _, v := range c.Process {
		rows = append(rows, []string{v.Name, term.Dash(v.Value), v.Origin, v.Help})
	}
	text := term.Table([]string{"VARIABLE", "VALUE", "FROM", "WHAT"}, rows)
	for _, name := range c.Unknown {
		text += fmt.Sprintf("%s  is no variable of ours\n", name)
	}
	if c.Repository == "" {
		return text
	}
	rows = nil
	for _, s := range c.Task {
		rows = append(rows, []string{s.Key, term.Dash(term.OneLine(s.Value)), term.OneLine(s.Origin)})
	}
	text += fmt.Sprintf("\nA task in %s\n", c.Repository) + term.Table([]string{"KEY", "VALUE", "FROM"}, rows)
	for _, w := range c.Warnings {
		text += "warning: " + term.OneLine(w) + "\n"
	}
	return text
}
