package app

import (
	"context"
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/activities"
	cliserver "github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func newHub(cfg config.Config, log *slog.Logger) (*github.Forge, error) {
	c := github.Config{Token: reader(cfg.GitHub.Token), BaseURL: cfg.GitHub.URL, Writes: cfg.GitHub.Writes, Log: log}
	if own := cfg.GitHub.App; own.Present() {
		c.App = &github.App{ID: own.ID, Key: reader(own.Key), Installation: own.Installation, Learn: learn(cfg)}
	}
	return github.New(c)
}

// pollersCount is how long a worker counts as there after it has asked for work, when another has asked since. One that gets none asks
// again after a minute.
const pollersCount = 75 * time.Second

// workersOf counts the workers that write to forges, as far as the server knows of them.
func workersOf(c client.Client) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		there, err := cliserver.Pollers(ctx, c, signals.Queue, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return 0, fault.New(fault.Infra, "count the workers: %w", err)
		}
		var newest time.Time // by the server's clock, which the times are from
		for _, last := range there {
			if last.After(newest) {
				newest = last
			}
		}
		maps.DeleteFunc(there, func(_ string, last time.Time) bool { return newest.Sub(last) >= pollersCount })
		return len(there), nil
	}
}

// learn has the redactor know an app's tokens. They come every hour and it keeps so many values, so it is told again of secrets that were
// renewed since the start.
func learn(cfg config.Config) func(tokens ...string) {
	return func(tokens ...string) {
		cfg.GitHub.App.Key.Report(tokens...)
		for _, secret := range cfg.Secrets() {
			_, _ = secret.Read() // one that can't be read now is told when it is used
		}
	}
}

// newControl builds the activities that need the tokens of forges.
func newControl(cfg config.Config, hub *github.Forge, secrets *redact.Redactor) *activities.Control {
	path := local.New(local.Config{Now: time.Now})
	choose := func(_ context.Context, r task.Repository) (forge.Forge, error) {
		switch {
		case r.Path != "":
			return path, nil
		case isGitHub(cfg, r):
			return hub, nil
		}
		return nil, fault.New(fault.Input, "repository %q is on no forge that is set up", r.Text).
			WithHint("set LONGSHIFT_GITHUB_URL when %s is a GitHub Enterprise server", r.Host)
	}
	return &activities.Control{Host: cfg.GitHub.Host(), WebURL: strings.TrimRight(cfg.WebURL, "/"), Forge: choose, Redact: secrets,
		Watching: activities.Watching{Repositories: cfg.GitHub.Repositories, Label: cfg.GitHub.Label, Every: cfg.GitHub.Poll},
		Limits: activities.Limits{Sessions: cfg.Limits.RepoSessions, DailyCost: cfg.Limits.RepoDailyCost, AllCost: cfg.Limits.DailyCost,
			Lease: cfg.Limits.Lease, Each: bounds(cfg)}}
}

// isGitHub tells whether a repository is on the GitHub that the token is for. A web address has to name the very host and port, because the
// token goes there; over ssh the port is another one, and GitHub has another name as well.
func isGitHub(cfg config.Config, r task.Repository) bool {
	if r.Host == "" {
		return r.Owner != ""
	}
	host, hub := strings.ToLower(r.Host), strings.ToLower(cfg.GitHub.Host())
	if u, err := url.Parse(r.URL); err != nil || u.Scheme == "ssh" { // git's short form of an ssh address is no URL
		host, hub = task.HostName(host), task.HostName(hub)
	}
	return host == hub
}
