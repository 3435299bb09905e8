package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

type input map[string]string

// toolFunc carries out a tool call and returns its output.
type toolFunc func(context.Context, input) (said string, failed bool, err error)

// endError ends the session because of a decision on a tool call.
type endError struct {
	kind   agent.OutcomeKind
	reason string
}

func (e endError) Error() string { return "session ends: " + e.reason }

// tool asks for permission, makes the call and reports it. A read-only session refuses every call.
func (p *performance) tool(ctx context.Context, name string, in input, do toolFunc) error {
	id := "step-" + strconv.Itoa(p.state.Entry) + "-" + strconv.Itoa(p.state.Next)
	told, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("tell about %s: %w", name, err)
	}
	p.tell(agent.Event{Kind: agent.ToolCall, Tool: name, ID: id, Text: excerpt.Clip(string(told), maxTold)})
	d := agent.Decision{Reason: "the session may only read"}
	if !p.session.ReadOnly {
		d = p.session.Permit.Ask(ctx, agent.Call{Tool: name, ID: id, Dir: p.session.Dir, Input: told})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !d.Allow {
		p.tell(agent.Event{Kind: agent.Denied, Tool: name, ID: id, Text: d.Reason})
		p.tell(agent.Event{Kind: agent.ToolResult, ID: id, Text: d.Reason, Failed: true})
		if d.End != "" {
			return endError{d.End, d.Reason}
		}
		return nil
	}
	if d.Input != nil {
		var other map[string]any
		if err := json.Unmarshal(d.Input, &other); err != nil {
			return fault.New(fault.Internal, "the input that was put in place of a call of %s: %w", name, err)
		}
		in = input{}
		for k, v := range other {
			in[k], _ = v.(string) // these tools have only text fields
		}
	}
	said, failed, err := do(ctx, in)
	if err != nil {
		return err
	}
	if d.Reason != "" {
		said += "\n" + d.Reason
	}
	p.tell(agent.Event{Kind: agent.ToolResult, ID: id, Text: excerpt.Clip(said, maxTold), Failed: failed})
	return nil
}

// mostRead limits how much of a command's output is kept, in bytes.
const mostRead = 64 << 10

func (p *performance) run(ctx context.Context, in input) (said string, failed bool, err error) {
	spec, err := p.command(in["command"])
	if err != nil {
		return "", false, err
	}
	start := process.Start
	if p.session.Start != nil {
		start = p.session.Start
	}
	c, err := start(ctx, spec)
	if err != nil {
		return "", false, fmt.Errorf("run command: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(c.Stdout(), mostRead))
	if err == nil {
		_, err = io.Copy(io.Discard, c.Stdout())
	}
	exit := c.Wait()
	switch {
	case ctx.Err() != nil:
		return "", false, fmt.Errorf("run command: %w", context.Cause(ctx))
	case err != nil:
		return "", false, fmt.Errorf("read command's output: %w", err)
	case !exit.Success():
		p.agent.cfg.Log.Debug("command of the scenario failed",
			"session", p.session.ID, "command", excerpt.Line(in["command"], maxTold), "exit", exit.String())
		return string(out) + "\n" + exit.String(), true, nil
	}
	return string(out), false, nil
}

// command returns the process for a command line. Standard error is merged into standard output.
func (p *performance) command(line string) (process.Spec, error) {
	home := filepath.Join(p.session.StateDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return process.Spec{}, fault.New(fault.Infra, "make the session's home: %w", err)
	}
	env := map[string]string{"PATH": p.agent.cfg.Path, "LANG": "C.UTF-8", "TERM": "dumb"}
	maps.Copy(env, p.session.Env)
	maps.Copy(env, p.session.CommandEnv)
	env["HOME"] = home
	spec := process.Bash("exec 2>&1\n" + line)
	spec.Dir, spec.Session = p.session.Dir, p.session.ID
	for _, k := range slices.Sorted(maps.Keys(env)) {
		spec.Env = append(spec.Env, k+"="+env[k])
	}
	return spec, nil
}
