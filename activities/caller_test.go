package activities

import (
	"context"
	"net"
	"strings"
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
	in.Tools.Allow = []string{"WebFetch(https://docs.example/*)", "WebFetch(https://go.example/ref/*)"}
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	must(t, b.attempt().run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "true", Wall: time.Minute}, nil))
	want := []Caller{{b.ref.TaskID, in.ID, "implementer", b.ID, "docs.example go.example/ref"}, {b.ref.TaskID, "", "check", b.ID, ""}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The tools that the settings allow reach the agent and the policy of its session.
func TestToolsOfASession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		allow        []string
		fetch, alone bool
		want         string
	}{
		"of an earlier release": {nil, false, false, "Task"},
		"none":                  {[]string{}, false, true, ""},
		"pages":                 {[]string{"WebFetch(https://docs.example/*)"}, true, true, "WebFetch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]agent.Agent{"script": &player{play: func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
				if s.Fetch != c.fetch || s.Alone != c.alone {
					t.Errorf("fetch %t, alone %t", s.Fetch, s.Alone)
				}
				var allowed []string
				for tool, input := range map[string]string{"Task": `{}`, "WebFetch": `{"url":"https://docs.example/a"}`} {
					if s.Permit(ctx, agent.Call{Tool: tool, Input: []byte(input)}).Allow {
						allowed = append(allowed, tool)
					}
				}
				if got := strings.Join(allowed, " "); got != c.want {
					t.Errorf("allowed %q, want %q", got, c.want)
				}
				emit(agent.Event{Kind: agent.Text, Text: "<DONE>ok</DONE>"})
				return agent.Outcome{Kind: agent.Completed}, nil
			}}})
			b.prepare()
			in := b.session(task.Implementer, "script")
			in.Tools.Allow, in.Commands.Questions = c.allow, task.QuestionsDeny
			_, err := b.attempt().session(b.Sessions, in)
			must(t, err)
		})
	}
}
