package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// inputReader makes the input of a task of flags and arguments.
type inputReader struct {
	streams term.Streams
	env     environ.Environ
	config  *environ.Config
	targets *targets
	configs command.ConfigReader
	parse   func(input []byte) (task.Input, error)
	read    func(ctx context.Context, process config.Config, repository string, number int) (task.Issue, error) // of an issue
	tasks   *tasks.Tasks
}

func newInputReader(f *factory) *inputReader {
	return &inputReader{f.streams, f.env, f.config, newTargets(f), f.configs, f.wiring.ParseInput, f.wiring.Issue, f.tasks}
}

// input makes the task's input from flags and arguments, and has it checked. Nothing has been started by then.
func (r *inputReader) input(ctx context.Context, c *cobra.Command, o *inputFlags, args []string, images ...task.Image) (
	task.Input, error,
) {
	text, err := r.taskText(ctx, o, args)
	if err == nil {
		err = r.tasks.RefuseToken("the text of the task", text)
	}
	if err != nil {
		return task.Input{}, err
	}
	values, err := r.overrides(c, o)
	if err != nil {
		return task.Input{}, err
	}
	repository, err := r.targets.target(ctx, &o.target)
	if err != nil {
		return task.Input{}, err
	}
	in := map[string]any{"repository": repository, "task": text, "requestedBy": task.Person{Name: r.env.User(), Via: "cli"}}
	if o.base != "" {
		in["base"] = o.base
	}
	if o.review != "" {
		review, err := r.readText(ctx, "--review", o.review)
		if err == nil {
			err = r.tasks.RefuseToken("--review", review)
		}
		if err != nil {
			return task.Input{}, err
		}
		in["review"] = review
	}
	if o.target.fork {
		in["fork"] = true
	}
	if len(images) > 0 {
		in["images"] = images
	}
	if len(o.specs) > 0 {
		in["spec"] = o.specs
		if o.sync {
			in["sync"] = true
		}
		if o.words {
			in["words"] = true
		}
	}
	if o.issue != 0 {
		issue, err := r.issue(ctx, repository, o.issue)
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
	return r.parse(encoded)
}

// issue reads the issue that the task comes from.
func (r *inputReader) issue(ctx context.Context, repository string, number int) (task.Issue, error) {
	conf, err := r.config.WithToken(ctx)
	if err != nil {
		return task.Issue{}, err
	}
	return r.read(ctx, conf, repository, number)
}

// taskText is the task in words: the argument, or a file, or the issue.
func (r *inputReader) taskText(ctx context.Context, o *inputFlags, args []string) (string, error) {
	if len(args) > 0 {
		if err := checkUTF8("the task", args[0]); err != nil {
			return "", err
		}
	}
	switch {
	case o.issue < 0:
		return "", fault.New(fault.Input, "--issue %d: not an issue number", o.issue).WithHint("give a number from 1 up")
	case len(args) > 0 && o.file != "":
		return "", fault.New(fault.Input, "--file %s: the task was given as an argument too", o.file).WithHint("give one of the two")
	case o.file == "-" && o.review == "-":
		return "", fault.New(fault.Input, "--file - and --review -: both read standard input").WithHint("give one of them as a file")
	case o.specs != nil:
		return r.specText(ctx, o, args)
	case len(args) > 0 && strings.TrimSpace(args[0]) != "":
		return args[0], nil
	case o.file == "" && o.issue > 0:
		return fmt.Sprintf("Resolve issue #%d.", o.issue), nil
	case o.file == "" && o.review != "":
		return "Do what the review asks for.", nil
	case o.file == "":
		return "", fault.New(fault.Input, "the task is missing").WithHint("say it in words, for example: longshift run \"fix the failing tests\"")
	}
	return r.readText(ctx, "--file", o.file)
}

// readText reads what a flag's file holds; - is standard input.
func (r *inputReader) readText(ctx context.Context, flag, name string) (string, error) {
	const most = 1 << 20
	var from io.Reader
	if name == "-" {
		from = r.streams.Until(ctx)
	} else {
		file, err := os.Open(r.env.Resolve(name))
		if err != nil {
			return "", command.FileError(flag, name, err)
		}
		defer file.Close()
		from = file
	}
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return "", command.FileError(flag, name, err)
	case len(content) > most:
		return "", fault.New(fault.Input, "%s %s: larger than 1 MiB", flag, name).
			WithHint("put the details into the repository and name them in the task")
	case strings.TrimSpace(string(content)) == "":
		return "", fault.New(fault.Input, "%s %s: empty", flag, name).WithHint("write the text into it")
	}
	return string(content), checkUTF8(flag+" "+name, string(content))
}

// checkUTF8 refuses what is no text: JSON would put other characters into it, without a word.
func checkUTF8(what, text string) error {
	if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		return nil
	}
	return fault.New(fault.Input, "%s: not text in UTF-8", what).
		WithHint("convert it with `iconv -f ENCODING -t UTF-8`, from what it is in, such as UTF-16 or LATIN1")
}

// overrides merges file, key=value and flags; the later wins.
func (r *inputReader) overrides(c *cobra.Command, o *inputFlags) (command.Overrides, error) {
	values, err := r.configs.Overrides(o.config)
	if err != nil {
		return nil, err
	}
	s := &o.short
	if o.planOnly {
		if c.Flags().Changed("approval") && s.approval != task.ApprovalRequired {
			return nil, fault.New(fault.Input, "--approval %s: --plan-only stops at the plan, so a person has to approve it", s.approval).
				WithHint("leave one of the two out")
		}
		values.Put("approval.mode", task.ApprovalRequired)
	}
	for _, f := range []struct {
		flag, key string
		value     any
	}{
		{"budget", "budget.cost", s.budget}, {"time", "budget.time", task.Duration(s.time).String()},
		{"approval", "approval.mode", s.approval}, {"approve-after", "approval.after", task.Duration(s.approveAfter).String()},
		{"agent", "agent", s.agent}, {"model", "model", s.model}, {"plan-model", "planModel", s.planModel},
		{"iterations", "iterations", s.iterations}, {"check", "check", s.check}, {"setup", "setup", s.setup},
		{"draft", "pullRequest.draft", s.draft}, {"label", "pullRequest.labels", s.labels}, {"reviewer", "pullRequest.reviewers", s.reviewers},
	} {
		if c.Flags().Changed(f.flag) {
			values.Put(f.key, f.value)
		}
	}
	return values, nil
}
