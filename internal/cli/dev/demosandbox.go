package dev

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
)

// openly returns the setting by which the demonstration runs without a sandbox where its worker, whose environment is given, would have none:
// a person's own settings, which it does not get, may switch layers off. It says so: the demonstration runs commands of our own, and no agent.
func (d *demonstration) openly(ctx context.Context, worker []string) []string {
	conf, err := config.Load(environ.Environ{Vars: worker}.Lookup)
	if err != nil {
		return nil
	}
	if _, err := d.sandbox(ctx, conf); err == nil {
		return nil
	}
	d.printer.Say("this machine has no complete sandbox for agents (`longshift doctor` says why); the demonstration runs its own commands without one")
	return []string{"LONGSHIFT_SANDBOX_WITHOUT=" + strings.Join(config.Layers(), ",")}
}
