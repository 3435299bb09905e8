package cli

import (
	"context"
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
	repository, err := p.target(ctx, &o.targetOptions)
	if err != nil {
		return task.Input{}, err
	}
	in := map[string]any{"repository": repository, "task": text, "requestedBy": task.Person{Name: p.by(), Via: "cli"}}
	if o.base != "" {
		in["base"] = o.base
	}
	if o.fork {
		in["fork"] = true
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
	conf, err := p.withToken(ctx)
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
