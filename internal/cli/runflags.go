package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/cli/command"
)

// inputFlags are the flags that a task's input is made of.
type inputFlags struct {
	target targetFlags
	config command.ConfigFlags
	short  shortFlags
	base   string
	file   string
	review string
	issue  int
	images []string
	specs  []string // of a command about a specification
	sync   bool     // it only brings the status file in line
	words  bool     // the task says more than the specification

	planOnly bool
}

// shortFlags are flags of their own for the keys that are set most. Those that a person gave come before configFlags.
type shortFlags struct {
	budget             float64
	time, approveAfter time.Duration
	approval, agent    string
	model, planModel   string
	iterations         int
	check, setup       string
	draft              bool
	labels, reviewers  []string
}

// targetFlags are the flags that say which repository is meant, and what is known about it.
type targetFlags struct {
	repo        string
	local, fork bool
	forge       *forgeTarget // where a task goes when it works on GitHub and was not told so by repo
}

// define adds the flags. otherwise is what counts where nothing is named and the folder is in no repository.
func (o *targetFlags) define(f *pflag.FlagSet, otherwise string) {
	f.StringVarP(&o.repo, "repo", "p", "",
		"`repository`: owner/name, git URL or path (default: the git repository of the current folder"+otherwise+")")
	f.BoolVar(&o.local, "local", false, "use the folder's repository although it is a clone from GitHub; the pull request is a record there")
	f.BoolVar(&o.fork, "fork", false,
		"push to a fork in the account of GitHub's token, made if need be; the pull request goes to the repository")
}

func (o *inputFlags) define(c *cobra.Command) {
	f, s := c.Flags(), &o.short
	f.SortFlags = false
	o.target.define(f, ", else the current workspace")
	f.StringVar(&o.base, "base", "",
		"`branch` to start from and to merge into (default: the current branch of the folder, else the repository's own)")
	f.StringVar(&o.file, "file", "", "read the task from a `file`; - is standard input")
	f.StringVar(&o.review, "review", "", "read a review of the present state from a `file`, for the plan to satisfy; - is standard input")
	f.StringArrayVar(&o.images, "image", nil,
		"`file` with a screenshot or a drawing that belongs to the task: PNG, JPEG, GIF or WebP; up to four times")
	f.IntVar(&o.issue, "issue", 0, "`number` of the issue on GitHub that the task comes from; it takes a token to read it")
	o.config.Define(f, "this task")
	command.DollarsVar(f, &s.budget, "budget", "US `dollars` for the whole task (config budget.cost)")
	f.DurationVar(&s.time, "time", 0, "running time of agents, setup and checks, such as 60m (config budget.time)")
	f.StringVar(&s.approval, "approval", "", "who lets the first plan pass, `mode`: auto, required or none (config approval.mode)")
	f.BoolVar(&o.planOnly, "plan-only", false,
		"stop at the plan, which waits for longshift approve, edit or reject (sets --approval required)")
	f.DurationVar(&s.approveAfter, "approve-after", 0, "auto: how long people have, such as 20m (config approval.after)")
	f.StringVar(&s.agent, "agent", "", "`agent` that works on the task (config agent)")
	f.StringVarP(&s.model, "model", "m", "", "`model` for implementing and reviewing (config model)")
	f.StringVar(&s.planModel, "plan-model", "", "`model` for planning (config planModel)")
	f.IntVarP(&s.iterations, "iterations", "n", 0, "`rounds` of plan, work and review at most (config iterations)")
	if !o.sync { // which has a flag check of its own
		f.StringVar(&s.check, "check", "", "`command` that must pass, such as \"go test ./...\" (config check)")
	}
	f.StringVar(&s.setup, "setup", "", "`command` that prepares the workspace (config setup)")
	f.BoolVar(&s.draft, "draft", false, "open the pull request as a draft (config pullRequest.draft)")
	f.StringSliceVar(&s.labels, "label", nil, "`label` for the pull request; repeatable (config pullRequest.labels)")
	f.StringSliceVar(&s.reviewers, "reviewer", nil, "`reviewer` for the pull request; repeatable (config pullRequest.reviewers)")
}
