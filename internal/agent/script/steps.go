package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// maxTold limits a tool's input or output in an event, in bytes.
const maxTold = 4 << 10

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
		return p.tool(ctx, "Write", input{"file_path": s.Write.Path, "content": s.Write.Content}, p.write)
	case s.Edit != nil:
		return p.tool(ctx, "Edit", input{"file_path": s.Edit.Path, "old_string": s.Edit.Old, "new_string": s.Edit.New}, p.edit)
	case s.Run != "":
		return p.tool(ctx, "Bash", input{"command": s.Run}, p.run)
	}
	return nil
}

func (p *performance) use(u Usage) {
	p.state.Usage = p.state.Usage.Add(task.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CostUSD: u.CostUSD, Calls: 1})
	p.state.Turns++
	p.tell(agent.Event{Kind: agent.UsageNow, Usage: p.state.Usage})
}

// inWorkspace opens the workspace as a root that no path and no symbolic link can leave.
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

func (p *performance) write(_ context.Context, in input) (said string, failed bool, err error) {
	path, err := p.local(in["file_path"])
	if err != nil {
		return "", false, err
	}
	err = p.inWorkspace("write file", func(r *os.Root) error {
		if err := r.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return r.WriteFile(path, []byte(in["content"]), 0o644)
	})
	return "wrote " + path, false, err
}

// edit replaces text that occurs once in the file. If the new text is already there, an interrupted attempt has written it, and nothing
// is left to do.
func (p *performance) edit(_ context.Context, in input) (said string, failed bool, err error) {
	path, err := p.local(in["file_path"])
	if err != nil {
		return "", false, err
	}
	before, after := in["old_string"], in["new_string"]
	err = p.inWorkspace("edit file", func(r *os.Root) error {
		data, err := r.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		n := strings.Count(text, before)
		done := after != "" && strings.Contains(text, after) && (n == 0 || strings.Contains(after, before))
		switch {
		case done || n == 0 && after == "" && p.resumed:
			return nil
		case n == 1:
			return r.WriteFile(path, []byte(strings.Replace(text, before, after, 1)), 0o644)
		}
		return fault.New(fault.Input, "the old text is in %s %d times, not once", path, n).WithHint("correct the scenario")
	})
	return "edited " + path, false, err
}

// local returns a file tool's path relative to the workspace. A permit may have replaced the path.
func (p *performance) local(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return path, nil
	}
	rel, err := filepath.Rel(p.session.Dir, path)
	if err != nil {
		return "", fault.New(fault.Input, "the path %q is not in the workspace", path)
	}
	return rel, nil
}
