package app

import (
	"context"
	"log/slog"
	"path/filepath"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/backlog"
	issues "github.com/longshift/longshift/internal/intake/github"
	"github.com/longshift/longshift/internal/intake/heartbeat"
	"github.com/longshift/longshift/internal/intake/linear"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/schedule/intakes"
)

// looker starts intake polls after an event of a forge.
type looker struct{ client client.Client }

func (l looker) Look(ctx context.Context, host, owner, name, label string, assignees []string) (bool, error) {
	return intakes.Look(ctx, l.client, host, owner, name, label, assignees)
}

func newSources(cfg config.Config, hub *github.Forge, log *slog.Logger) (map[intake.Kind]activities.Source, error) {
	ofGitHub, err := issues.New(issues.Config{Hub: hub, Host: cfg.GitHub.Host(), Label: cfg.GitHub.Label, Log: log})
	if err != nil {
		return nil, err
	}
	files := workfile.Config{State: filepath.Join(cfg.Data, "intake"), Quiet: cfg.Limits.Quiet, Log: log}
	sources := map[intake.Kind]activities.Source{
		intake.GitHub:    ofGitHub,
		intake.Backlog:   backlog.New(files),
		intake.Heartbeat: heartbeat.New(files),
	}
	if cfg.Linear.Token.Present() {
		sources[intake.Linear], err = linear.New(linear.Config{Token: reader(cfg.Linear.Token), BaseURL: cfg.Linear.URL, Log: log})
	}
	return sources, err
}
