package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// plannedCalls are the calls of an answer as the workflow needs them.
func (a *Acts) plannedCalls(calls []transcript.Call) (list []PlannedCall) {
	for _, c := range calls {
		list = append(list, PlannedCall{Line: excerpt.Line(a.of.redact.String(visible(tools.Line(c.Tool, c.Arguments))), 120), Read: classOf(c.Tool) == tools.Reads})
	}
	return list
}

// asPolicy is a call as the rules know it: they speak of the tools that agents have in common. It is false for calls that touch nothing.
func (f *fileCalls) asPolicy(c transcript.Call) (p agent.Call, ok bool) {
	path, named := tools.Path(c.Tool, c.Arguments)
	if path = f.enforcer.inRoot(path); !named {
		path = f.enforcer.root
	}
	tool, input := "Read", map[string]any{"file_path": path}
	switch class := classOf(c.Tool); {
	case c.Tool == "list_dir" || c.Tool == "find_files":
		tool, input = "Glob", map[string]any{"pattern": "*", "path": path}
	case c.Tool == "search":
		tool, input = "Grep", map[string]any{"pattern": "search", "path": path}
	case class == tools.Writes:
		return f.asWrite(c, path), true
	case class != tools.Reads || !named:
		return p, false
	}
	return agent.Call{ID: c.ID, Dir: f.enforcer.root, Tool: tool, Input: json.RawMessage(asJSON(input))}, true
}

// inRoot is a path of the workspace, absolute.
func (en *enforcer) inRoot(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return en.root + string(filepath.Separator) + path // not Join: it would drop "link/.."
}

// asReport is a call as a report: complete_run stands for one about the session's deliverable.
func asReport(c transcript.Call, of *task.Deliverable) (tool string, arguments json.RawMessage, err error) {
	if c.Tool != completeRun.Name {
		return c.Tool, c.Arguments, nil
	}
	var in struct {
		Summary string `json:"summary"`
	}
	if err := task.DecodeAnswer("the call", c.Arguments, &in); err != nil {
		return "", nil, err
	}
	if of == nil {
		return "", nil, fmt.Errorf("this session has no deliverable")
	}
	return "deliverable_set_status", json.RawMessage(asJSON(map[string]string{"id": of.ID, "status": string(task.Passed), "text": in.Summary})), nil
}

func asJSON(v any) string {
	data, _ := json.Marshal(v) // maps of strings and numbers always marshal
	return string(data)
}

// forModel is a result as the model reads it.
func forModel(v any) string {
	data, _ := tools.Marshal(v) // maps of strings and numbers always marshal
	return string(data)
}

// askTask puts questions to the workflow of the task. It does not wait there for people: the session ends for that time, and holds nothing.
func askTask(w Workflow) func(context.Context, signals.Question) (signals.Answer, error) {
	return func(ctx context.Context, q signals.Question) (signals.Answer, error) {
		q.AtOnce = true
		return askRun(ctx, w, q)
	}
}

// approvals keep what people have allowed the calls of an act once. The workflow counts a yes as used up as soon as it has told it, and
// the act may yet have to come again: it waits for a yes to another of its files, or its command could not be started.
type approvals struct {
	file    string
	ask     func(context.Context, signals.Question) (signals.Answer, error)
	now     func() time.Time
	problem func(error) // is told that a yes could not be kept: it holds for this attempt, and is asked for again by the next

	mu sync.Mutex
}

// answer returns the yes that is kept, or asks. A question is about a call with its files as they are, and so is the yes.
func (p *approvals) answer(ctx context.Context, q signals.Question) (signals.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	given := map[string]signals.Answer{}
	if err := readJSON(p.file, &given); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return signals.Answer{}, err
	}
	if a, ok := given[q.ID]; ok && p.now().Before(a.Expires) {
		return a, nil
	}
	a, err := p.ask(ctx, q)
	if err != nil || a.Verdict != signals.Yes || a.Lasting() {
		return a, err
	}
	given[q.ID] = a
	if err := writeJSON(p.file, given); err != nil {
		p.problem(err)
	}
	return a, nil
}
