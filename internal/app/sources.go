package app

import (
	"log/slog"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/backlog"
	"github.com/longshift/longshift/internal/intake/heartbeat"
)

// newSources builds the places where work comes from by itself.
func newSources(cfg config.Config, log *slog.Logger) map[intake.Kind]activities.Source {
	state := filepath.Join(cfg.Data, "intake")
	return map[intake.Kind]activities.Source{
		intake.Backlog:   backlog.New(backlog.Config{State: state, Quiet: cfg.Quiet, Now: time.Now, Log: log}),
		intake.Heartbeat: heartbeat.New(heartbeat.Config{State: state, Quiet: cfg.Quiet, Now: time.Now, Log: log}),
	}
}
