package activities

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/task"
)

// reaching is a box that uses each connection out of it once, and confines nothing.
type reaching struct{ t *testing.T }

func (b reaching) use(c sandbox.Spec) {
	for _, r := range c.Reach {
		conn, err := r.Dial(b.t.Context())
		must(b.t, err)
		_ = conn.Close()
	}
}

func (b reaching) Start(ctx context.Context, s process.Spec, c sandbox.Spec) (*process.Process, error) {
	b.use(c)
	return process.Start(ctx, s)
}

func (b reaching) Run(ctx context.Context, s process.Spec, l process.Limits, c sandbox.Spec) (process.Result, error) {
	b.use(c)
	return process.Run(ctx, s, l)
}

// The proxy to the registries is told the caller, so that a refusal in the command log names a task.
func TestRegistriesKnowTheCaller(t *testing.T) {
	t.Parallel()
	var got []Caller
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		p, err := s.Start(ctx, process.Spec{Path: "/bin/true", Dir: s.Dir})
		if err != nil {
			return agent.Outcome{}, err
		}
		p.Wait()
		return agent.Outcome{Kind: agent.Completed}, nil
	}}})
	b.Confine = Confinement{Box: reaching{t}, Egress: func(ctx context.Context) (net.Conn, error) {
		got = append(got, CallerOf(ctx))
		ours, theirs := net.Pipe()
		_ = theirs.Close()
		return ours, nil
	}}
	b.start()
	b.prepare()
	in := b.session(task.Implementer, "script")
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	must(t, b.attempt().run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "true", Wall: time.Minute}, nil))
	want := []Caller{{b.ref.TaskID, in.ID, "implementer", b.ID}, {b.ref.TaskID, "", "check", b.ID}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
