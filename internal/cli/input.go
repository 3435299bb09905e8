package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// runOptions are the flags of run that make the task's input.
type runOptions struct {
	repo, base, file, id string
	issue                int
	config               []string
	configFile           string
	budget               float64
	time, approveAfter   time.Duration
	approval, agent      string
	model, planModel     string
	iterations           int
	check, setup         string
	draft                bool
	labels, reviewers    []string
	detach, wait         bool
}

func (o *runOptions) define(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.repo, "repo", "", "`repository`: owner/name, git URL or path (default: the git repository of the current folder)")
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

// input makes the task's input from flags and arguments, and has it checked. Nothing has been started by then.
func (p *program) input(ctx context.Context, c *cobra.Command, o *runOptions, args []string) (task.Input, error) {
	text, err := p.taskText(o, args)
	if err != nil {
		return task.Input{}, err
	}
	values, err := p.overrides(c, o)
	if err != nil {
		return task.Input{}, err
	}
	repository, err := p.repository(ctx, o.repo)
	if err != nil {
		return task.Input{}, err
	}
	in := map[string]any{"repository": repository, "task": text, "requestedBy": task.Person{Name: p.by(), Via: "cli"}}
	if o.base != "" {
		in["base"] = o.base
	}
	if o.issue != 0 {
		issue, err := p.issue(ctx, repository, o.issue)
		if err != nil {
			return task.Input{}, err
		}
		in["issue"] = issue
	}
	if len(values) > 0 {
		in["config"] = values
	}
	encoded, err := json.Marshal(in)
	if err != nil {
		return task.Input{}, fmt.Errorf("encode input: %w", err)
	}
	return p.wiring.ParseInput(encoded)
}

// issue is what the task is told of the issue it comes from.
func (p *program) issue(ctx context.Context, repository string, number int) (task.Issue, error) {
	if p.wiring.Issue == nil {
		return task.Issue{Number: number}, nil
	}
	conf, err := p.config()
	if err != nil {
		return task.Issue{}, err
	}
	return p.wiring.Issue(ctx, conf, repository, number)
}

// taskText is the task in words: the argument, or a file, or the issue.
func (p *program) taskText(o *runOptions, args []string) (string, error) {
	if o.issue < 0 {
		return "", fault.New(fault.Input, "--issue %d: not an issue number", o.issue).WithHint("give a number from 1 up")
	}
	switch {
	case len(args) > 0 && o.file != "":
		return "", fault.New(fault.Input, "--file %s: the task was given as an argument too", o.file).WithHint("give one of the two")
	case len(args) > 0 && strings.TrimSpace(args[0]) != "":
		return args[0], nil
	case o.file == "" && o.issue > 0:
		return fmt.Sprintf("Resolve issue #%d.", o.issue), nil
	case o.file == "":
		return "", fault.New(fault.Input, "the task is missing").WithHint("say it in words, for example: longshift run \"fix the failing tests\"")
	}
	const most = 1 << 20
	from := p.streams.In
	if o.file != "-" {
		file, err := os.Open(p.resolve(o.file))
		if err != nil {
			return "", fileError("--file", o.file, err)
		}
		defer file.Close()
		from = file
	}
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return "", fileError("--file", o.file, err)
	case len(content) > most:
		return "", fault.New(fault.Input, "--file %s: larger than 1 MiB", o.file).WithHint("put the details into the repository and name them in the task")
	case strings.TrimSpace(string(content)) == "":
		return "", fault.New(fault.Input, "--file %s: empty", o.file).WithHint("write the task into it")
	}
	return string(content), nil
}

// overrides merges file, key=value and flags; the later wins.
func (p *program) overrides(c *cobra.Command, o *runOptions) (overrides, error) {
	config := overrides{}
	if o.configFile != "" {
		var err error
		if config, err = p.fromFile(o.configFile); err != nil {
			return nil, err
		}
	}
	for _, pair := range o.config {
		if err := config.set(pair); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct {
		flag, key string
		value     any
	}{
		{"budget", "budget.cost", o.budget}, {"time", "budget.time", shortDuration(o.time)},
		{"approval", "approval.mode", o.approval}, {"approve-after", "approval.after", shortDuration(o.approveAfter)},
		{"agent", "agent", o.agent}, {"model", "model", o.model}, {"plan-model", "planModel", o.planModel},
		{"iterations", "iterations", o.iterations}, {"check", "check", o.check}, {"setup", "setup", o.setup},
		{"draft", "pullRequest.draft", o.draft}, {"label", "pullRequest.labels", o.labels}, {"reviewer", "pullRequest.reviewers", o.reviewers},
	} {
		if c.Flags().Changed(f.flag) {
			config.put(f.key, f.value)
		}
	}
	return config, nil
}

// shortDuration prints a duration as people write it: 20m, not 20m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// newTaskID makes a readable id: repository, task, and six random letters that keep it apart from others.
func newTaskID(in task.Input) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	r, err := task.ParseRepository(in.Repository)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, part := range []string{r.Slug(), task.Slug(in.Task, 32)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	random := make([]byte, 6)
	for i := range random {
		b := [1]byte{255}
		for b[0] >= 252 { // 252 is a multiple of 36: no letter is likelier than another
			_, _ = rand.Read(b[:]) // never fails
		}
		random[i] = letters[b[0]%36]
	}
	return strings.Join(append(parts, string(random)), "-"), nil
}
