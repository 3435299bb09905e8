package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
)

// longestTool is how long a call of a file tool may take.
const longestTool = time.Minute

// fileCalls makes the calls of file tools.
type fileCalls struct {
	callRules
	kept  *keptAct
	root  *os.Root
	tools *tools.Workspace
}

// read makes a call of a file tool that changes nothing, when the rules allow it.
func (f *fileCalls) read(ctx context.Context, c transcript.Call) callResult {
	var asked []agent.Call
	if p, ok := f.asPolicy(c); ok {
		asked = append(asked, p)
	}
	if c.Tool == "preview_patch" { // it names several files, and quotes them
		changes, err := f.tools.Plan(ctx, "apply_patch", c.Arguments)
		if err != nil {
			return refused(aboutHidden(c, err))
		}
		for n, change := range changes {
			asked = append(asked, agent.Call{ID: fmt.Sprintf("%s-%d", c.ID, n), Tool: "Read", Dir: f.enforcer.root,
				Input: json.RawMessage(asJSON(map[string]any{"file_path": f.enforcer.inRoot(change.Path)}))})
		}
	}
	for _, p := range asked {
		if no := f.permit(ctx, p); no != nil {
			return *no
		}
	}
	return f.carryOut(ctx, c, asked)
}

// write makes a call that changes files, when the rules allow it for each of them. What it is about to change is on disk before, so that an
// attempt that comes again knows whether it was made.
func (f *fileCalls) write(ctx context.Context, c transcript.Call) callResult {
	if again := f.interrupted(); again != nil {
		return *again
	}
	changes, err := f.tools.Plan(ctx, c.Tool, c.Arguments)
	if err != nil {
		if p, ok := f.asPolicy(c); ok { // what was tried stands in the command log
			if no := f.permit(ctx, p); no != nil {
				return *no
			}
			f.enforcer.event(agent.Event{Kind: agent.ToolResult, ID: p.ID, Failed: true})
		}
		return refused(aboutHidden(c, err))
	}
	asked := f.writesOf(c, changes)
	for _, p := range asked {
		if no := f.permit(ctx, p); no != nil {
			return *no
		}
	}
	if err := f.kept.begin(asJSON(changes)); err != nil {
		return callResult{err: err}
	}
	return f.carryOut(ctx, c, asked)
}

// carryOut makes the call, and completes its entries in the command log.
func (f *fileCalls) carryOut(ctx context.Context, c transcript.Call, asked []agent.Call) callResult {
	ctx, cancel := context.WithTimeout(ctx, longestTool)
	defer cancel()
	res := f.tools.Do(ctx, c.Tool, c.Arguments)
	for _, p := range asked {
		f.enforcer.event(agent.Event{Kind: agent.ToolResult, ID: p.ID, Failed: res.Failed})
	}
	return callResult{content: string(res.Content), failed: res.Failed, line: res.Line}
}

// interrupted returns the result of a writing call that an earlier attempt has made, or has begun to make; nil for one to be made now.
func (f *fileCalls) interrupted() *callResult {
	if len(f.kept.Begun) == 0 {
		return nil
	}
	var planned []tools.Change
	if json.Unmarshal([]byte(f.kept.Begun[0]), &planned) != nil {
		return nil
	}
	f.sweep(planned)
	var made, not []string
	for _, change := range planned {
		if f.tools.Done([]tools.Change{change}) {
			made = append(made, change.Path)
		} else {
			not = append(not, change.Path)
		}
	}
	switch {
	case len(made) == 0:
		return nil
	case len(not) == 0:
		return &callResult{content: forModel(map[string]any{"success": true, "path": strings.Join(made, ", ")})}
	}
	half := refused(fmt.Sprintf("the worker was replaced in the middle of this change: %s is changed, %s is not; change the rest by itself",
		strings.Join(made, ", "), strings.Join(not, ", ")))
	return &half
}

// sweep removes the temporary files that a change leaves which is cut off.
func (f *fileCalls) sweep(planned []tools.Change) {
	for _, change := range planned {
		dir := path.Dir(change.Path)
		entries, _ := fs.ReadDir(f.root.FS(), dir) // a folder that was not made has none
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tools.Temporary) && e.Type().IsRegular() {
				_ = f.root.Remove(path.Join(dir, e.Name()))
			}
		}
	}
}

// writesOf are the calls for all files that a call would change.
func (f *fileCalls) writesOf(c transcript.Call, changes []tools.Change) (all []agent.Call) {
	for n, change := range changes {
		p := f.asWrite(c, f.enforcer.inRoot(change.Path))
		if n > 0 {
			p.ID = fmt.Sprintf("%s-%d", c.ID, n)
		}
		all = append(all, p)
	}
	return all
}

// asWrite is a call that changes a file as the rules know it, with the text that people are shown when they are asked.
func (f *fileCalls) asWrite(c transcript.Call, path string) agent.Call {
	var in struct {
		Old, New, Content, Patch string
		All                      bool `json:"replace_all"`
	}
	_ = json.Unmarshal(c.Arguments, &in) // what does not fit is refused by the tool
	tool, input := "Edit", map[string]any{"file_path": path, "old_string": in.Old, "new_string": in.New + in.Patch, "replace_all": in.All}
	if in.Old == "" && in.Patch == "" {
		tool, input = "Write", map[string]any{"file_path": path, "content": in.Content}
	}
	return agent.Call{ID: c.ID, Tool: tool, Dir: f.enforcer.root, Input: json.RawMessage(asJSON(input))}
}
