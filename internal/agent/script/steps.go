package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/task"
)

// maxTold is the most of a tool's input or output that an event holds, in bytes.
const maxTold = 4 << 10

// step does one step and tells about it.
func (p *performance) step(ctx context.Context, s Step) error {
	switch {
	case s.Say != "":
		p.state.Text = strings.TrimRight(s.Say, "\n")
		p.tell(agent.Event{Kind: agent.Text, Text: p.state.Text})
	case s.Usage != nil:
		p.use(*s.Usage)
	case s.Pause != "":
		if d := p.pause(s.Pause); d > 0 {
			return p.agent.cfg.Wait(ctx, d)
		}
	case s.Answer != nil:
		data, err := json.Marshal(s.Answer)
		if err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
		p.state.Answer, p.state.Text = data, string(data)
	case s.Write != nil:
		return p.tool(ctx, "Write", map[string]string{"file_path": s.Write.Path, "content": s.Write.Content},
			func(context.Context) (string, bool, error) { return p.write(*s.Write) })
	case s.Edit != nil:
		return p.tool(ctx, "Edit", map[string]string{"file_path": s.Edit.Path, "old_string": s.Edit.Old, "new_string": s.Edit.New},
			func(context.Context) (string, bool, error) { return p.edit(*s.Edit) })
	case s.Run != "":
		return p.tool(ctx, "Bash", map[string]string{"command": s.Run},
			func(ctx context.Context) (string, bool, error) { return p.run(ctx, s.Run) })
	}
	return nil
}

func (p *performance) use(u Usage) {
	p.state.Usage = p.state.Usage.Add(task.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CostUSD: u.CostUSD, Calls: 1})
	p.state.Turns++
	p.tell(agent.Event{Kind: agent.UsageNow, Usage: p.state.Usage})
}

// tool does what changes the workspace, and refuses it in a session that may only read.
func (p *performance) tool(ctx context.Context, name string, input map[string]string, do func(context.Context) (said string, failed bool, err error)) error {
	id := "step-" + strconv.Itoa(p.state.Entry) + "-" + strconv.Itoa(p.state.Next)
	told, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("tell about %s: %w", name, err)
	}
	p.tell(agent.Event{Kind: agent.ToolCall, Tool: name, ID: id, Text: clip(string(told))})
	if p.session.ReadOnly {
		const why = "the session may only read"
		p.tell(agent.Event{Kind: agent.Denied, Tool: name, ID: id, Text: why})
		p.tell(agent.Event{Kind: agent.ToolResult, ID: id, Text: why, Failed: true})
		return nil
	}
	said, failed, err := do(ctx)
	if err != nil {
		return err
	}
	p.tell(agent.Event{Kind: agent.ToolResult, ID: id, Text: clip(said), Failed: failed})
	return nil
}

// inWorkspace opens the workspace so that no path and no symbolic link leads out of it.
func (p *performance) inWorkspace(what string, do func(*os.Root) error) error {
	root, err := os.OpenRoot(p.session.Dir)
	if err != nil {
		return fault.New(fault.Infra, "open the workspace: %w", err)
	}
	defer root.Close()
	switch err := do(root); {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Input, "%s: %w", what, err).WithHint("correct the scenario")
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (p *performance) write(f File) (said string, failed bool, err error) {
	err = p.inWorkspace("write file", func(r *os.Root) error {
		if err := r.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		return r.WriteFile(f.Path, []byte(f.Content), 0o644)
	})
	return "wrote " + f.Path, false, err
}

// edit replaces text that stands in the file once. Where the new text stands already, an attempt before this one was cut off
// after it had written, and nothing is left to do.
func (p *performance) edit(e Edit) (said string, failed bool, err error) {
	err = p.inWorkspace("edit file", func(r *os.Root) error {
		data, err := r.ReadFile(e.Path)
		if err != nil {
			return err
		}
		text := string(data)
		n := strings.Count(text, e.Old)
		done := e.New != "" && strings.Contains(text, e.New) && (n == 0 || strings.Contains(e.New, e.Old))
		switch {
		case done || n == 0 && e.New == "" && p.resumed:
			return nil
		case n == 1:
			return r.WriteFile(e.Path, []byte(strings.Replace(text, e.Old, e.New, 1)), 0o644)
		}
		return fault.New(fault.Input, "the old text stands in %s %d times, not once", e.Path, n).WithHint("correct the scenario")
	})
	return "edited " + e.Path, false, err
}

func (p *performance) run(ctx context.Context, command string) (said string, failed bool, err error) {
	home := filepath.Join(p.session.StateDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", false, fault.New(fault.Infra, "make the session's home: %w", err)
	}
	env := map[string]string{"PATH": p.agent.cfg.Path, "LANG": "C.UTF-8", "TERM": "dumb"}
	for k, v := range p.session.Env {
		env[k] = v
	}
	env["HOME"] = home
	spec := process.Bash(command)
	spec.Dir, spec.Session = p.session.Dir, p.session.ID
	for k, v := range env {
		spec.Env = append(spec.Env, k+"="+v)
	}
	sort.Strings(spec.Env)
	r, err := process.Run(ctx, spec, process.Limits{Keep: 64 << 10})
	if err != nil {
		return "", false, err
	}
	if !r.Success() {
		p.agent.cfg.Log.Debug("command of the scenario failed", "session", p.session.ID, "command", oneLine(clip(command)), "exit", r.Exit.String())
		return r.Output + "\n" + r.Exit.String(), true, nil
	}
	return r.Output, false, nil
}

// clip gives at most maxTold bytes of s, with a mark, and never half a character.
func clip(s string) string {
	if len(s) <= maxTold {
		return s
	}
	n := maxTold
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " [cut]"
}
