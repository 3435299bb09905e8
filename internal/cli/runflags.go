package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runOptions are the flags of run that make the task's input.
type runOptions struct {
	targetOptions
	base, file, id     string
	issue              int
	config             []string
	configFile         string
	budget             float64
	time, approveAfter time.Duration
	approval, agent    string
	model, planModel   string
	iterations         int
	check, setup       string
	draft              bool
	labels, reviewers  []string
	detach, wait       bool
}

// targetOptions are the flags that say which repository is meant, and what was found out about it.
type targetOptions struct {
	repo        string
	local, fork bool
	forge       *forgeTarget // where a task goes when it works on GitHub and was not told so by repo
}

// define adds the flags. otherwise is what counts where nothing is named and the folder is in no repository.
func (o *targetOptions) define(f *pflag.FlagSet, otherwise string) {
	f.StringVar(&o.repo, "repo", "", "`repository`: owner/name, git URL or path (default: the git repository of the current folder"+otherwise+")")
	f.BoolVar(&o.local, "local", false, "work in the folder although it is a clone from GitHub; the pull request is a record there")
	f.BoolVar(&o.fork, "fork", false, "push to a fork in the account of GitHub's token, made if need be; the pull request goes to the repository")
}

func (o *runOptions) define(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	o.targetOptions.define(f, ", else the current workspace")
	f.StringVar(&o.base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	f.StringVar(&o.file, "file", "", "read the task from a `file`; - is standard input")
	f.IntVar(&o.issue, "issue", 0, "`number` of the issue that the task comes from")
	f.StringArrayVarP(&o.config, "config", "c", nil, "configuration of this task, `key=value`; repeatable")
	f.StringVar(&o.configFile, "config-file", "", "configuration of this task, a JSON or YAML `file`")
	f.Float64Var(&o.budget, "budget", 0, "US `dollars` for the whole task (config budget.cost)")
	f.DurationVar(&o.time, "time", 0, "running time of agents, setup and checks, such as 60m (config budget.time)")
	f.StringVar(&o.approval, "approval", "", "who lets the plan pass, `mode`: auto, required or none (config approval.mode)")
	f.DurationVar(&o.approveAfter, "approve-after", 0, "auto: how long people have, such as 20m (config approval.after)")
	f.StringVar(&o.agent, "agent", "", "`agent` that works on the task (config agent)")
	f.StringVar(&o.model, "model", "", "`model` for implementing and reviewing (config model)")
	f.StringVar(&o.planModel, "plan-model", "", "`model` for planning (config planModel)")
	f.IntVar(&o.iterations, "iterations", 0, "`rounds` of plan, work and review at most (config iterations)")
	f.StringVar(&o.check, "check", "", "`command` that must pass, such as \"go test ./...\" (config check)")
	f.StringVar(&o.setup, "setup", "", "`command` that prepares the workspace (config setup)")
	f.BoolVar(&o.draft, "draft", false, "open the pull request as a draft (config pullRequest.draft)")
	f.StringSliceVar(&o.labels, "label", nil, "`label` for the pull request; repeatable (config pullRequest.labels)")
	f.StringSliceVar(&o.reviewers, "reviewer", nil, "`reviewer` for the pull request; repeatable (config pullRequest.reviewers)")
	f.StringVar(&o.id, "id", "", "`id` of the task (default: made of repository and task)")
}
