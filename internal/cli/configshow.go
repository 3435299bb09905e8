package cli

import (
	"context"
	"fmt"
	"sort"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

type configOptions struct {
	repo, base, file string
	set              []string
}

func (p *program) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:         "config",
		Short:       "Show the configuration",
		Example:     "  longshift config show",
		Args:        cobra.ArbitraryArgs,
		RunE:        needsCommand,
		Annotations: exits(),
	}
	c.AddCommand(p.configShowCommand())
	return c
}

func (p *program) configShowCommand() *cobra.Command {
	var o configOptions
	c := &cobra.Command{
		Use:   "show",
		Short: "Show every value and where it comes from",
		Long: `Show every value and where it comes from: the variables of this process, and, in a git repository, what a
task there would run with. Secrets are hidden.`,
		Example:     "  longshift config show\n  longshift config show --repo ~/src/web --base release --config budget.cost=5\n  longshift config show -o json | jq .task",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound),
		RunE:        func(c *cobra.Command, _ []string) error { return p.configShow(c.Context(), o) },
	}
	c.Flags().StringVar(&o.repo, "repo", "", "`path` of a git repository (default: the one of the current folder)")
	c.Flags().StringVar(&o.base, "base", "", "`branch` that the task would start from")
	c.Flags().StringArrayVarP(&o.set, "config", "c", nil, "configuration of a task, `key=value`; repeatable")
	c.Flags().StringVar(&o.file, "config-file", "", "configuration of a task, a JSON or YAML `file`")
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

func (p *program) configShow(ctx context.Context, o configOptions) error {
	conf, err := p.config()
	if err != nil {
		return err
	}
	shown := shownConfig{Process: conf.Describe()}
	for name := range config.Unknown(p.env.Vars) {
		shown.Unknown = append(shown.Unknown, name)
	}
	sort.Strings(shown.Unknown)
	if shown.Repository, err = p.repository(ctx, o.repo); err != nil && (o.repo != "" || ctx.Err() != nil) {
		return err
	}
	if err != nil && (o.base != "" || len(o.set) > 0 || o.file != "") {
		return err
	}
	if err == nil {
		r, err := p.resolved(ctx, conf, shown.Repository, o)
		if err != nil {
			return err
		}
		shown.Task, shown.Warnings = r.Settings, r.Warnings
	}
	return p.print(shown, func() string { return configText(shown) })
}

// resolved gives what a task in the repository would run with.
func (p *program) resolved(ctx context.Context, conf config.Config, repository string, o configOptions) (Resolved, error) {
	if r, err := task.ParseRepository(repository); err != nil || r.Path == "" {
		return Resolved{}, fault.New(fault.Input, "--repo %s: only a repository on this machine can be shown", repository).WithHint("give the path of a clone")
	}
	values, err := p.overrides(&cobra.Command{}, &runOptions{config: o.set, configFile: o.file})
	if err != nil {
		return Resolved{}, err
	}
	var own *task.Config
	if len(values) > 0 {
		if own, err = p.parsed(values); err != nil {
			return Resolved{}, err
		}
	}
	return p.wiring.ResolveConfig(ctx, conf, repository, o.base, own)
}

func configText(c shownConfig) string {
	rows := make([][]string, 0, len(c.Process))
	for _, v := range c.Process {
		rows = append(rows, []string{v.Name, dash(v.Value), v.Origin, v.Help})
	}
	text := table([]string{"VARIABLE", "VALUE", "FROM", "WHAT"}, rows)
	for _, name := range c.Unknown {
		text += fmt.Sprintf("%s  is no variable of ours\n", name)
	}
	if c.Repository == "" {
		return text
	}
	rows = nil
	for _, s := range c.Task {
		rows = append(rows, []string{s.Key, dash(oneLine(s.Value)), oneLine(s.Origin)})
	}
	text += fmt.Sprintf("\nA task in %s\n", c.Repository) + table([]string{"KEY", "VALUE", "FROM"}, rows)
	for _, w := range c.Warnings {
		text += "warning: " + oneLine(w) + "\n"
	}
	return text
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
