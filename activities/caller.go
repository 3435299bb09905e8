package activities

import (
	"context"
	"net"

	"github.com/longshift/longshift/internal/sandbox"
)

// Caller says for whom a program runs that asks for a registry.
type Caller struct {
	Task, Session string // Session is "" for the task's own commands
	Role          string // of the session; "setup" or "check" for a command
	Host          string
}

type callerKey struct{}

// CallerOf gives the caller out of the context that Confinement.Egress was called with, the zero one when there is none.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// openWay gives a box the way to the registries, if there is one, and has who uses it known.
func (b *boxes) openWay(s *sandbox.Spec, who Caller) {
	if b.confine.Egress == nil {
		return
	}
	who.Host = b.host
	s.Reach = append(s.Reach, sandbox.Reach{Port: EgressPort, Dial: func(ctx context.Context) (net.Conn, error) {
		return b.confine.Egress(context.WithValue(ctx, callerKey{}, who))
	}})
}
