package activities

import (
	"context"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// longestFinding bounds, in bytes, each text of a finding: history is no place for what a program has printed.
const longestFinding = 500

// Examiner looks whether its host has what tasks need.
type Examiner struct {
	look   func(context.Context) []signals.HostFinding
	redact *redact.Redactor
}

// Examine returns what the host has and lacks, free of secrets and of the paths of its user.
func (e *Examiner) Examine(ctx context.Context) ([]signals.HostFinding, error) {
	findings := e.look(ctx)
	for i, f := range findings {
		findings[i].Detail = excerpt.Clip(e.redact.String(f.Detail), longestFinding)
		findings[i].Hint = excerpt.Clip(e.redact.String(f.Hint), longestFinding)
	}
	return findings, ctx.Err()
}
