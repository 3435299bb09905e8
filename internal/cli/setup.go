package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/project"
	"github.com/longshift/longshift/internal/task"
)

// asked are the keys that setup asks about, in the order of its questions.
var asked = []string{"specs", "iterations", "setup", "check", "commits", "approval.mode", "approval.after", "budget.cost", "budget.time",
	"pullRequest.follow", "notify.planReady", "notify.progress", "notify.complete", "notify.error"}

type setupOptions struct {
	repo     string
	defaults bool
}

func (p *program) setupCommand() *cobra.Command {
	var o setupOptions
	c := &cobra.Command{
		Use:   "setup",
		Short: "Ask about the usual settings of a repository and write them into .longshift.yaml",
		Long: `Ask about the usual settings of a repository and write them into the .longshift.yaml of its work tree. Only values that
change are written; comments, order and everything else stay. Without a terminal the answers are lines of standard input,
one for each question, in this order: ` + strings.Join(asked[:8], ", ") + `,
` + strings.Join(asked[8:], ", ") + `.
An empty line keeps a value, "" empties it, the end of the input keeps the rest; a wrong answer ends it and nothing is written.
There is no setting for pushing: a task pushes its own branch and no other. Nor for audits: an audit is a task that says so.`,
		Example:     "  longshift setup\n  printf 'docs/specs\\n5\\n' | longshift setup --repo ~/src/web -o json",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.setup(c.Context(), o) },
	}
	c.Flags().StringVar(&o.repo, "repo", "", "`path` of a git repository (default: the one of the current folder)")
	c.Flags().BoolVarP(&o.defaults, "defaults", "y", false, "keep every value and ask nothing")
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

func (p *program) setup(ctx context.Context, o setupOptions) error {
	top, err := p.workTree(ctx, o.repo)
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
		if answers, err = p.asker().ask(ctx, questions); err != nil {
			return err
		}
	}
	result := setupResult{File: file.path, Changed: []changedKey{}}
	if result.Changed, err = changes(questions, answers); err != nil {
		return err
	}
	if len(result.Changed) > 0 {
		if result.Written, err = p.writeChanges(ctx, file, result.Changed, !o.defaults); err != nil {
			return err
		}
	}
	return p.print(result, func() string { return setupText(result) })
}

// writeChanges shows what would change, asks where somebody can be asked, and writes.
func (p *program) writeChanges(ctx context.Context, file settingsFile, changed []changedKey, ask bool) (written bool, err error) {
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
	p.say("%s", strings.TrimSuffix(file.difference(after), "\n"))
	if ask && p.streams.InTTY {
		yes, err := p.asker().confirm(ctx, "Write this into "+file.path+"?")
		if err != nil || !yes {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, errInterrupted
	}
	return true, file.write(after)
}

func setupText(r setupResult) string {
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
	return "Wrote " + strings.Join(keys, ", ") + " to " + r.File + "; " + commitHint(r.File) + "\n"
}

// changes gives the keys whose answers differ from today's values. Answers may end early. A value that means the same is
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
