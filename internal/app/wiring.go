package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/script"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli"
	"github.com/longshift/longshift/internal/cli/dev"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/sweep"
	"github.com/longshift/longshift/task"
)

// Wiring returns the functions that the command line may not import.
func Wiring() cli.Wiring {
	return cli.Wiring{
		ParseInput:       task.ParseInput,
		ParseConfig:      parseConfig,
		ResolveConfig:    resolveConfig,
		LocalPullRequest: localPullRequest,
		Issue:            readIssue,
		Standing:         readStanding,
		Account:          readAccount,
		App:              readApp,
		ForkOf:           readFork,
		Policy:           operatorPolicy,
		Programs:         func(env environ.Environ) checkup.Programs { return taskPrograms{env} },
		Settings:         trySettings,
		Sandbox:          trySandbox,
		Work:             tryWork,
		Signing:          trySigning,
		Objects:          tryObjects,
		Sweeper: func(process config.Config, c client.Client) (*sweep.Sweeper, error) {
			if err := cmp.Or(checkData(process.Data), checkObjects(process)); err != nil {
				return nil, err
			}
			return newSweeper(process, c, slog.New(slog.DiscardHandler))
		},
		Model:  tryModel(gateway.Anthropic),
		OpenAI: tryModel(gateway.OpenAI),
		Tested: tested,
		Redact: func(process config.Config) func(string) string { return redactor(process).String },
		HoldsToken: func(text string) bool {
			return slices.ContainsFunc(redact.New().Find(text), func(f redact.Finding) bool { return f.Sure })
		},
		Commands: audit.Read,
		Acts:     audit.ReadActs,
		Demo: func() dev.Demo {
			return dev.Demo{Files: script.DemoRepository(), Scenario: script.Demo(), Task: script.DemoTask}
		},
	}
}

// tryModel returns what checks whether the endpoint of an API accepts our key.
func tryModel(api gateway.API) func(ctx context.Context, process config.Config) (string, error) {
	return func(ctx context.Context, process config.Config) (string, error) {
		g, err := modelGateway(process)
		if err != nil {
			return "", err
		}
		return gateway.Try(ctx, g, api)
	}
}

func parseConfig(file []byte) (*task.Config, error) {
	parse := project.Parse
	if bytes.HasPrefix(bytes.TrimSpace(file), []byte("{")) {
		parse = project.ParseJSON
	}
	c, err := parse(file)
	return &c, err
}

// resolveConfig reads the repository's settings from the commit, as a worker does, and never from the work tree.
func resolveConfig(ctx context.Context, process config.Config, dir, base string, overrides *task.Config) (setup.Resolved, error) {
	base = cmp.Or(base, "HEAD")
	var repo, job task.Config
	var data bytes.Buffer
	user := git.Git{Dir: dir, User: true} // the user's own git configuration decides which repositories are safe
	err := user.Run(ctx, nil, &data, "show", "--end-of-options", base+":"+project.FileName)
	var failed *git.Error
	switch {
	case err == nil:
		if repo, err = project.Parse(data.Bytes()); err != nil {
			return setup.Resolved{}, fault.New(fault.Input, "%s of %s: %w", project.FileName, base, err)
		}
	case !errors.As(err, &failed):
		return setup.Resolved{}, fault.New(fault.Input, "read %s of %q: %w", project.FileName, base, err)
	case !missingFile(failed.Stderr):
		return setup.Resolved{}, fault.New(fault.Input, "read %s of %q: %s", project.FileName, base, excerpt.FirstLine(failed.Stderr)).
			WithHint("name a branch or commit of the repository with --base")
	}
	if overrides != nil {
		job = *overrides
	}
	r, err := project.Resolve(limits(process), repo, job)
	if err != nil {
		return setup.Resolved{}, err
	}
	out := setup.Resolved{Warnings: r.Warnings}
	for _, o := range r.Origins {
		out.Settings = append(out.Settings, setup.Setting{Key: o.Key, Value: o.Value, Origin: o.Origin})
	}
	return out, nil
}

// missingFile reports whether git's error means that the commit has no such file.
func missingFile(stderr string) bool {
	return strings.Contains(stderr, "does not exist in") || strings.Contains(stderr, "exists on disk, but not in")
}

// readIssue reads the issue for a manually started task. An issue that can't be read is an error: it has one task, and that must not begin
// with nothing but a number.
func readIssue(ctx context.Context, process config.Config, repository string, number int) (task.Issue, error) {
	r, err := task.ParseRepository(repository)
	switch {
	case err != nil:
		return task.Issue{}, err
	case !isGitHub(process, r):
		return task.Issue{}, fault.New(fault.Input, "issue #%d can't be read: %s is not on GitHub", number, r.Text).
			WithHint("give --repo owner/name, or say the task in words")
	case !process.GitHub.Authorized():
		return task.Issue{}, fault.New(fault.Input, "issue #%d of %s can't be read: there is no token for GitHub", number, r.Text).
			WithHint("set GH_TOKEN or use `gh auth login`; or label the issue %s, or comment /longshift run at it, so that the worker reads it",
				process.GitHub.Label)
	}
	hub, err := newHub(process, slog.New(slog.DiscardHandler))
	if err != nil {
		return task.Issue{}, err
	}
	issue, open, err := hub.Issue(ctx, r, number)
	if err == nil && !open {
		return issue, fault.New(fault.Conflict, "issue #%d of %s is closed", number, r.Text).WithHint("open it again, or say the task in words")
	}
	return issue, err
}

// readStanding asks GitHub about a repository before a task is started.
func readStanding(ctx context.Context, process config.Config, repository, base, ours string) (cli.Standing, error) {
	r, err := task.ParseRepository(repository)
	if err != nil {
		return cli.Standing{}, err
	}
	hub, err := newHub(process, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Standing{}, err
	}
	s, err := hub.RepositoryState(ctx, r, base, ours)
	return cli.Standing(s), err
}

// readAccount asks GitHub whose token it is.
func readAccount(ctx context.Context, process config.Config) (string, error) {
	hub, err := newHub(process, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	return hub.Account(ctx)
}

// readApp asks GitHub how the app stands.
func readApp(ctx context.Context, process config.Config) (forge.AppState, error) {
	hub, err := newHub(process, slog.New(slog.DiscardHandler))
	if err != nil {
		return forge.AppState{}, err
	}
	return hub.AppState(ctx)
}

// readFork asks GitHub about the fork that a task will push to.
func readFork(ctx context.Context, process config.Config, repository string) (owner, name string, err error) {
	r, err := task.ParseRepository(repository)
	if err != nil {
		return "", "", err
	}
	hub, err := newHub(process, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", "", err
	}
	return hub.ForkOf(ctx, r)
}

func localPullRequest(ctx context.Context, path string, n int) (record, diff string, err error) {
	r, err := local.Read(ctx, path, n)
	if err != nil {
		return "", "", fmt.Errorf("read the pull request: %w", err)
	}
	var b strings.Builder
	if err := local.Diff(ctx, path, n, &b); err != nil {
		return "", "", fmt.Errorf("read the diff: %w", err)
	}
	return recordText(r), b.String(), nil
}

func recordText(r local.Record) string {
	text := fmt.Sprintf("#%d %s (%s)\n%s -> %s, %s", r.Number, r.Title, r.State, r.Head, r.Base, r.HeadCommit)
	if len(r.Labels) > 0 {
		text += "\nlabels: " + strings.Join(r.Labels, ", ")
	}
	return text + "\n\n" + r.Body + "\n"
}
