package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/loop"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// RunInput asks for the first calls that the last answer of the model has left open.
type RunInput struct {
	Act
	Calls int        `json:"calls"`          // how many: one, or several that only read
	Usage task.Usage `json:"usage,omitzero"` // of the session on this host so far
	Left  string     `json:"left,omitempty"` // what the model is told with the last result: what is left of money, time and steps
}

// RunTools makes calls of tools. None is made again that has ended, and a command that was cut off is not run again: the model is told.
func (a *Acts) RunTools(ctx context.Context, in RunInput) (ActResult, error) {
	return a.fly(ctx, in.Act, transcript.Run, func(ctx context.Context, begin func()) (ActResult, error) {
		kept, err := a.openAct(in.Act, transcript.Run, in.Calls)
		if err != nil || kept.Result != nil {
			return kept.result(), err
		}
		r, err := a.toolRun(ctx, in, kept, begin)
		if err != nil {
			return ActResult{}, err
		}
		defer r.close()
		stopping, stop := untilStopping(ctx)
		defer stop()
		res, err := r.do(stopping)
		if err != nil {
			return res, orInterrupted(stopping, err)
		}
		res.Took = a.of.now().Sub(r.start)
		if res, err = kept.end(res); err != nil || res.Kind != "" || res.Ended {
			return res, err
		}
		if problem := a.handovers.bring(stopping, r.moment(res.Head)); problem != "" {
			r.log.line("! %s", r.log.hide(problem))
			res.Lines = append(res.Lines, excerpt.Line(r.log.hide(problem), 160))
		}
		return res, nil
	})
}

// moment is where the session stands after the calls.
func (r *toolRun) moment(head string) moment {
	m := r.of.moment(r.in.Act, r.s, r.tree, head)
	for _, c := range r.calls {
		m.wrote = m.wrote || slices.Contains([]tools.Class{tools.Writes, tools.Runs}, classOf(c.Tool))
	}
	return m
}

// do makes the calls and adds their results to the conversation. A call that waits for a person stays open.
func (r *toolRun) do(ctx context.Context) (ActResult, error) {
	made := make([]callResult, len(r.calls))
	var all sync.WaitGroup
	for n, c := range r.calls {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					made[n].err = panicked(p)
				}
			}()
			made[n] = r.call(ctx, c)
		})
	}
	all.Wait()
	res := ActResult{Head: r.in.Head}
	results := &transcript.Results{}
	for n, m := range made {
		switch {
		case m.err != nil:
			return res, m.err
		case m.end != "":
			res.Kind, res.Text = m.end, excerpt.Tail(r.log.hide(m.content), 1000)
			return res, nil
		}
		results.List = append(results.List, transcript.Result{Call: r.calls[n].ID, Content: r.of.of.redact.Secrets(m.content), Failed: m.failed})
		res.Lines = append(res.Lines, excerpt.Line(r.log.hide(m.line), 160))
	}
	if r.last {
		results.Note = strings.TrimSpace(r.in.Left + " " + r.progress())
	}
	if _, ended := r.reports.Ended(); ended {
		res.Ended = true
	}
	c, err := r.of.add(r.in.Act, r.conv, transcript.Entry{Results: results})
	if err != nil {
		return res, err
	}
	res.Head = c.Head
	return res, nil
}

// callResult is what a call has come to.
type callResult struct {
	content string // for the model
	failed  bool
	line    string            // for people
	end     agent.OutcomeKind // the session can't go on now, and the call stays open
	err     error
}

// call makes one call.
func (r *toolRun) call(ctx context.Context, c transcript.Call) (res callResult) {
	line := excerpt.Line(r.log.hide(tools.Line(c.Tool, c.Arguments)), 400)
	r.log.activity(excerpt.Clip(line, 120), 1)
	r.log.line("> %s", line)
	seen := r.loops.See(c.Tool, c.Arguments) // as the model has written it
	switch {
	case seen.Level == loop.Stop:
		return callResult{end: agent.Looped, content: seen.Text}
	case r.incomplete(c):
		most := r.of.longest(r.conv.Start().Model, limitsOf(r.s.Native).output())
		res = refused(fmt.Sprintf("your answer reached its limit of %d tokens before this call was complete, so it was not made; "+
			"write a long file in parts: its beginning with write_file, and then the rest with edit_file", most))
	case !slices.Contains(r.names(), c.Tool):
		res = refused(fmt.Sprintf("there is no tool %q in this session; it has %s", c.Tool, strings.Join(r.names(), ", ")))
	case c.Tool == "manage_process":
		res = r.shell.manage(c)
	case c.Tool == "command_output":
		res = r.shell.output(ctx, c)
	case c.Tool == "checklist":
		res = checklist(c)
	case classOf(c.Tool) == tools.Asks:
		res = r.person(c)
	case classOf(c.Tool) == tools.Runs:
		res = r.shell.command(ctx, c)
	case classOf(c.Tool) == tools.Reports:
		res = r.report(c)
	case classOf(c.Tool) == tools.Writes:
		res = unlessCut(ctx, r.files.write(ctx, c))
	default:
		res = unlessCut(ctx, r.files.read(ctx, c))
	}
	if res.line == "" {
		res.line = line
	}
	if seen.Level == loop.Warn {
		res.content = withWarning(res.content, seen.Text)
	}
	mark := "<"
	if res.failed {
		mark = "<!"
	}
	r.log.line("%s %s", mark, excerpt.Line(r.log.hide(res.content), 400))
	return res
}

// incomplete tells whether an answer that was cut off ends within the arguments of this call, of which nothing is known then.
func (r *toolRun) incomplete(c transcript.Call) bool {
	return r.cut && r.last && c.ID == r.calls[len(r.calls)-1].ID && string(c.Arguments) == "{}"
}

// unlessCut keeps the failure of a file tool from the model when the act was interrupted meanwhile: the tool was most likely cut off by that, and
// is called again.
func unlessCut(ctx context.Context, res callResult) callResult {
	if cut := interrupted(ctx); cut != nil && res.failed {
		return callResult{err: cut}
	}
	return res
}

// withWarning adds a warning to a result.
func withWarning(content, text string) string {
	var all map[string]any
	if json.Unmarshal([]byte(content), &all) != nil {
		return content
	}
	all["warning"] = text
	return forModel(all)
}
