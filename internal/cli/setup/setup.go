package setup

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// asked are the keys that setup asks about, in the order of its questions.
var asked = []string{"specs", "iterations", "setup", "check", "commits", "approval.mode", "approval.after", "budget.cost", "budget.time",
	"pullRequest.follow", "notify.planReady", "notify.progress", "notify.complete", "notify.error"}

// setupOptions are what setup uses, and its flags.
type setupOptions struct {
	git          environ.Git
	repositories *repository.Repositories
	printer      *term.Printer
	asker        func() asker
	attended     bool // a person can be asked before anything is written

	user *userSettings

	repo     string
	defaults bool
	forUser  bool
}

// NewSetupCommand makes the command setup.
func NewSetupCommand(u Uses) *cobra.Command {
	o := &setupOptions{git: u.Git, repositories: u.Repositories, printer: u.Printer, attended: u.Streams.InTTY}
	o.asker = func() asker { return newAsker(u) }
	o.user = &userSettings{u.Env, u.Config}
	c := &cobra.Command{
		Use:   "setup",
		Short: "Ask about the usual settings of a repository and write them into .longshift.yaml",
		Long: `Ask about the usual settings of a repository and write them into the .longshift.yaml of its work tree. Only values that
change are written; comments, order and everything else stay. Without a terminal the answers are lines of standard input,
one for each question, in this order: ` + strings.Join(asked[:8], ", ") + `,
` + strings.Join(asked[8:], ", ") + `.
An empty line keeps a value, "" empties it, the end of the input keeps the rest; a wrong answer ends it and nothing is written.
With --user it asks about what is the same for every repository, and writes that into ~/.config/longshift/config.toml (or below
XDG_CONFIG_HOME): ` + strings.Join(userAsked, ", ") + `.
There is no setting for pushing: a task pushes its own branch and no other. Nor for audits: an audit is a task that says so.`,
		Example:     "  longshift setup\n  longshift setup --user\n  printf 'docs/specs\\n5\\n' | longshift setup --repo ~/src/web -o json",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case !o.forUser:
				return o.run(c.Context())
			case o.repo != "":
				return fault.New(fault.Input, "--user and --repo: settings are for one of them").WithHint("leave out --repo")
			}
			return o.runForUser(c.Context())
		},
	}
	c.Flags().StringVar(&o.repo, "repo", "", "`path` of a git repository (default: the one of the current folder)")
	c.Flags().BoolVarP(&o.defaults, "defaults", "y", false, "keep every value and ask nothing")
	c.Flags().BoolVar(&o.forUser, "user", false, "ask about this user's own settings, which are the same for every repository")
	return c
}

// changedKey is a setting that gets another value.
type changedKey struct {
	Key string `json:"key"`
	Old any    `json:"old"`
	New any    `json:"new"`
}

// setupResult is what setup did.
type setupResult struct {
	File    string       `json:"file"`
	Written bool         `json:"written"`
	Changed []changedKey `json:"changed"`
}

func (o *setupOptions) run(ctx context.Context) error {
	top, err := workTree(ctx, o.repositories, o.git, o.repo)
	if err != nil {
		return err
	}
	file, err := readSettingsFile(top)
	if err != nil {
		return err
	}
	now, err := project.Parse(file.data)
	if err != nil {
		return err
	}
	questions := questionsOf(now)
	var answers []string
	if !o.defaults {
		if answers, err = o.asker().ask(ctx, questions); err != nil {
			return err
		}
	}
	result := setupResult{File: file.path, Changed: []changedKey{}}
	if result.Changed, err = changes(questions, answers); err != nil {
		return err
	}
	if len(result.Changed) > 0 {
		if result.Written, err = o.write(ctx, file, result.Changed); err != nil {
			return err
		}
	}
	return o.printer.Print(result, func() string { return setupText(result, commitHint(result.File)) })
}

// write shows what would change, asks where somebody can be asked, and writes.
func (o *setupOptions) write(ctx context.Context, file settingsFile, changed []changedKey) (written bool, err error) {
	before := file.data
	if !file.exists() {
		before = project.Header()
	}
	var edits []project.Change
	for _, c := range changed {
		edits = append(edits, project.Change{Key: c.Key, Value: c.New})
	}
	after, err := project.Edit(before, edits)
	if err != nil {
		return false, err
	}
	if bytes.Equal(before, after) { // never: a change changes something
		return false, nil
	}
	o.printer.Say("%s", strings.TrimSuffix(file.difference(after), "\n"))
	if !o.defaults && o.attended {
		yes, err := o.asker().confirm(ctx, "Write this into "+file.path+"?")
		if err != nil || !yes {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, term.ErrInterrupted
	}
	return true, file.write(after)
}

func setupText(r setupResult, left string) string {
	var keys []string
	for _, c := range r.Changed {
		keys = append(keys, c.Key)
	}
	switch {
	case len(keys) == 0:
		return "Nothing changed; nothing was written to " + r.File + "\n"
	case !r.Written:
		return "Nothing was written to " + r.File + "\n"
	}
	return "Wrote " + strings.Join(keys, ", ") + " to " + r.File + "; " + left + "\n"
}

// changes returns the keys whose answers differ from today's values. Answers may end early. A value that means the same is
// none: what a person wrote stays as it is written.
func changes(questions []question, answers []string) ([]changedKey, error) {
	changed := []changedKey{}
	for i, answer := range answers {
		q := questions[i]
		value, err := q.value(answer)
		if err != nil {
			return nil, err
		}
		if !q.same(value) {
			changed = append(changed, changedKey{q.key.Path, q.today, value})
		}
	}
	return changed, nil
}

// questionsOf makes the questions, each with the value of today: the file's, or else the default.
func questionsOf(now task.Config) []question {
	var questions []question
	base := project.DefaultConfig()
	for _, path := range asked {
		for _, k := range task.ConfigKeys() {
			if k.Path == path {
				today, set := now.Lookup(path)
				if !set {
					today, _ = base.Lookup(path)
				}
				questions = append(questions, question{key: k, today: today, number: len(questions) + 1, of: len(asked)})
			}
		}
	}
	return questions
}
