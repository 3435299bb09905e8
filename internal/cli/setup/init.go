package setup

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/toolchain"
)

// initOptions are what init uses, and its flags.
type initOptions struct {
	env          environ.Environ
	git          environ.Git
	config       *environ.Config
	repositories *repository.Repositories
	printer      *term.Printer
	decide       Decider

	repo   string
	dryRun bool
}

// NewInitCommand makes the command init.
func NewInitCommand(u Uses) *cobra.Command {
	o := &initOptions{env: u.Env, git: u.Git, config: u.Config, repositories: u.Repositories, printer: u.Printer, decide: u.Decide}
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a first .longshift.yaml, with setup and check as the repository's files suggest",
		Long: `Write a first .longshift.yaml, with the setup and check commands that the files at the top of the repository suggest: a
Makefile or justfile with a check or test target, go.mod, package.json and its lock file, pyproject.toml, Cargo.toml and others.
Nothing is run. What this machine's rules for commands deny is not proposed.`,
		Example:     "  longshift init --dry-run\n  longshift init --repo ~/src/web",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().StringVar(&o.repo, "repo", "", "`path` of a git repository (default: the one of the current folder)")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the file and write nothing")
	return c
}

// guess is a setting that init proposes.
type guess struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // the file or folder that suggests it
}

// initResult is what init found and did.
type initResult struct {
	File    string   `json:"file"`
	Written bool     `json:"written"`
	Content string   `json:"content"`
	Guesses []guess  `json:"guesses"`
	Notes   []string `json:"notes"` // what a person should know about them
}

func (o *initOptions) run(ctx context.Context) error {
	top, err := workTree(ctx, o.repositories, o.git, o.repo)
	if err != nil {
		return err
	}
	file, err := readSettingsFile(top)
	if err != nil {
		return err
	}
	if file.exists() {
		return fault.New(fault.Conflict, "%s is there already", file.path).WithHint("change it with `longshift setup`")
	}
	root, err := os.OpenRoot(top) // no link in the repository leads us out of it
	if err != nil {
		return fault.New(fault.Denied, "read the repository: %w", err)
	}
	defer root.Close()
	g, err := o.guesser(ctx, top)
	if err != nil {
		return err
	}
	g.all(toolchain.Detect(root.FS()))
	if ctx.Err() != nil {
		return term.ErrInterrupted
	}
	content, err := firstSettings(g.guesses)
	if err != nil {
		return err
	}
	result := initResult{File: file.path, Content: content, Guesses: g.guesses, Notes: g.notes}
	if !o.dryRun {
		if err := file.write([]byte(content)); err != nil {
			return err
		}
		result.Written = true
	}
	if o.printer.IsText() {
		for _, note := range result.Notes {
			o.printer.Say("note: %s", term.OneLine(note))
		}
	}
	return o.printer.Print(result, func() string { return initText(result) })
}

func initText(r initResult) string {
	if !r.Written {
		return term.Plain(r.Content)
	}
	text := "Wrote " + r.File + "\n"
	if len(r.Guesses) == 0 {
		return text + "Nothing suggests a command; say in the file how the work is checked, then " + commitHint(r.File) + "\n"
	}
	var rows [][]string
	for _, g := range r.Guesses {
		rows = append(rows, []string{g.Key, term.OneLine(g.From), term.OneLine(g.Value)})
	}
	return text + term.Table([]string{"KEY", "GUESSED FROM", "VALUE"}, rows) + "Look at it, then " + commitHint(r.File) + "\n"
}

// firstSettings writes the file: each key with why it is there, and where nothing was guessed the place for it.
func firstSettings(guesses []guess) (string, error) {
	text := string(project.Header())
	for _, k := range []struct{ key, what, instead string }{
		{"setup", "Runs before the first check, and again when what it depends on may have changed.", "setup: make deps"},
		{"check", "Runs on the base and after each deliverable; agents see its output, and when it fails at the end the pull request is a draft.",
			"check: make test"},
		{"specs", "Folder with the specifications; it is never committed.", ""},
	} {
		found := false
		for _, g := range guesses {
			if g.Key != k.key {
				continue
			}
			line, err := project.Edit(nil, []project.Change{{Key: g.Key, Value: g.Value}})
			if err != nil {
				return "", err
			}
			found = true
			text += "\n# " + k.what + " Guessed from " + term.OneLine(g.From) + ".\n" + string(line)
		}
		if !found && k.instead != "" {
			text += "\n# " + k.what + " Nothing was guessed; write a command without the # in front.\n# " + k.instead + "\n"
		}
	}
	text = strings.ReplaceAll(text, "\r", "")
	_, err := project.Parse([]byte(text))
	return text, err
}
