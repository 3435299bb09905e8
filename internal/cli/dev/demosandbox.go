package dev

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/config"
)

// openly returns the setting by which the demonstration runs without a sandbox where this machine has none. It says so: the
// demonstration runs commands of our own, and no agent.
func (d *demonstration) openly(ctx context.Context) []string {
	conf, err := config.Load(d.env.Lookup)
	if err != nil {
		return nil
	}
	if _, err := d.sandbox(ctx, conf); err == nil {
		return nil
	}
	d.printer.Say("this machine has no sandbox for agents (`longshift doctor` says why); the demonstration runs its own commands without one")
	return []string{"LONGSHIFT_SANDBOX_WITHOUT=" + strings.Join(config.Layers(), ",")}
}
