package activities

import (
	"context"
	"net"
	"strings"

	"github.com/longshift/longshift/internal/confine/sandbox"
)

// Caller identifies the task and session of a program that connects to a registry.
type Caller struct {
	Task, Session string // Session is "" for the task's own commands
	Role          string // of the session; "setup" or "check" for a command
	Host          string
	Pages         string // web pages that the session may fetch, separated by spaces, so that callers can be compared
}

type callerKey struct{}

// CallerOf returns the caller from the context of a call of Confinement.Egress, or the zero Caller.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// caller is the session as one that connects to registries.
func (in SessionInput) caller() *Caller {
	return &Caller{Task: in.TaskID, Session: in.ID, Role: string(in.Role), Pages: strings.Join(in.Tools.Pages(), " ")}
}

// connectRegistries connects a box to the registries, if the host has a way there, and tells Egress who calls at that moment. The home
// folder of the box's programs is below dir, a folder that they can write to.
func (b *boxes) connectRegistries(s *sandbox.Spec, dir, home string, d Dirs, who func() *Caller) {
	if b.confine.Egress == nil {
		return
	}
	writeProxyFiles(dir, home, d)
	s.Reach = append(s.Reach, sandbox.Reach{Port: EgressPort, Dial: func(ctx context.Context) (net.Conn, error) {
		now := *who()
		now.Host = b.host
		return b.confine.Egress(context.WithValue(ctx, callerKey{}, now))
	}})
}
