package activities

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// launcher prepares sessions: their system text and environment, their endpoint at the gateway, and their box.
type launcher struct {
	scenario   string
	workspaces *workspace.Manager
	gateway    *gateway.Gateway // nil when agents talk to their own endpoint
	boxes      *boxes
	env        Environment
	systems    *systemTexts
	redact     *redact.Redactor
	log        *slog.Logger
	now        func() time.Time
}

// start makes a session without its prompt.
func (la *launcher) start(ctx context.Context, in SessionInput, rec *record) (agent.Session, error) {
	system, err := la.systems.of(ctx, in)
	if err != nil {
		return agent.Session{}, err
	}
	env, commandEnv, err := la.env.forAgent(system.of, la.boxes.dirs(system.layout, in.TaskID), in.Env)
	if err != nil {
		return agent.Session{}, err
	}
	s := agent.Session{
		ID: in.ID, Role: in.Role, Dir: system.dir, StateDir: rec.stateDir(), System: system.text,
		Model: in.Model, Thinking: in.Thinking, ReadOnly: in.Role.ReadOnly(), Resume: rec.begun(),
		Env: env, CommandEnv: commandEnv, Scenario: in.Scenario,
		Fetch: len(in.Tools.Pages()) > 0, Alone: !in.Tools.Allows(task.ToolTask),
	}
	if s.Scenario == "" {
		s.Scenario = la.scenario
	}
	return s, nil
}

// viaGateway tells whether agents reach their models through the gateway.
func (la *launcher) viaGateway() bool { return la.gateway != nil }

// openModel opens a session's endpoint at the gateway, with the token of a closed one if the session goes on with its agent's process. It
// returns nil when there is no gateway.
func (la *launcher) openModel(in SessionInput, rec *record, token string) (*gateway.Session, error) {
	if !la.viaGateway() {
		return nil, nil
	}
	endpoint, err := la.gateway.Open(gateway.Spec{
		ID: in.ID, BudgetUSD: in.CeilingUSD, API: in.api(), Model: in.Model,
		Ledger:     filepath.Join(rec.dir, "ledger.jsonl"),
		Transcript: filepath.Join(rec.dir, "transcript.jsonl"),
		Tools:      serverTools(in.Tools),
		Token:      token,
	})
	switch fault.KindOf(err) {
	case fault.Conflict: // a process that is about to end may still hold the ledger
		err = fault.New(fault.Infra, "%w", err)
	case fault.Denied: // there is no key
		err = &agent.Unfit{Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("open the model endpoint: %w", err)
	}
	return endpoint, nil
}

// api is the API by which the session's agent asks its model.
func (in SessionInput) api() gateway.API {
	if (task.Settings{Native: in.Native, OpenCode: in.OpenCode}).AsksOpenAI(in.Agent) {
		return gateway.OpenAI
	}
	return gateway.Anthropic
}

// serverTools names the tools of the model's vendor that the settings allow.
func serverTools(t task.ToolSettings) (names []string) {
	if t.Allows(task.ToolSearch) {
		names = append(names, "web_search")
	}
	if len(t.Pages()) > 0 {
		names = append(names, "web_fetch")
	}
	return names
}

// confine makes the session's processes run in a box that reaches only its model and the registries. It returns what they see, and
// their folders beside the workspace.
func (la *launcher) confine(ctx context.Context, s *agent.Session, in SessionInput, ends *endpoints) (boxView, Dirs, error) {
	spec, dirs, err := la.box(ctx, s, in)
	if err != nil {
		return boxView{}, dirs, err
	}
	seen := boxView{spec, gitMade(spec.Work)}
	la.boxes.connectRegistries(&spec, s.StateDir, "home", dirs, ends.caller.Load)
	ends.show(ctx, s)
	for _, address := range ends.addresses() {
		port, dial, err := dialer(address)
		if err != nil {
			return seen, dirs, err
		}
		spec.Reach = append(spec.Reach, sandbox.Reach{Port: port, Dial: dial})
	}
	s.Start = func(ctx context.Context, p process.Spec) (*process.Process, error) {
		return la.boxes.start(ctx, p, spec)
	}
	return seen, dirs, nil
}

// boxView is what a box lets a process see and change, without what it reaches. A process serves only sessions with the same one.
type boxView struct {
	box     sandbox.Spec
	gitMade time.Time // the box's protecting mounts lie in this .git, and are gone with it
}

// gitMade returns when the .git of a work tree was made: nobody writes its commondir again, and programs can't.
func gitMade(work string) time.Time {
	info, err := os.Lstat(filepath.Join(work, ".git", "commondir"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// box is what a session's processes may see and change. They reach nothing.
func (la *launcher) box(ctx context.Context, s *agent.Session, in SessionInput) (spec sandbox.Spec, dirs Dirs, err error) {
	tree, err := la.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return spec, dirs, err
	}
	defer tree.Close()
	where, err := layoutOf(ctx, tree) // read again: a merge may have added submodules
	if err != nil {
		return spec, dirs, err
	}
	dirs = la.boxes.dirs(where, in.TaskID)
	if spec, err = la.boxes.spec(ctx, where, dirs, in.Role.ReadOnly(), in.scope()); err != nil {
		return spec, dirs, err
	}
	spec.Writable = append(spec.Writable, s.StateDir)
	return spec, dirs, nil
}

// dialer returns the port of a loopback address, and a function that connects to it from outside of the box.
func dialer(address string) (port int, dial func(context.Context) (net.Conn, error), err error) {
	u, err := url.Parse(address)
	if err == nil {
		port, err = strconv.Atoi(u.Port())
	}
	if err != nil {
		return 0, nil, fault.New(fault.Internal, "the endpoint %q has no port", address)
	}
	var d net.Dialer
	return port, func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", u.Host) }, nil
}
