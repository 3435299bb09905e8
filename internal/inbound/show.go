package inbound

import (
	"context"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
)

type views struct {
	server server
	find   finder
	render render.Markdown
	now    func() time.Time
}

// list shows the tasks that run, newest first.
func (v views) list(ctx context.Context) (decision, error) {
	const most = 10
	var lines []string
	more := false
	err := v.server.each(ctx, runningTasks, most+1, func(r row) bool {
		if more = len(lines) == most; more {
			return false
		}
		line := "- " + r.line(v.render)
		if r.needsHuman {
			line += ": **needs you**"
		}
		lines = append(lines, line)
		return true
	})
	switch {
	case err != nil:
		return decision{}, err
	case len(lines) == 0:
		return answer("No task is running."), nil
	case more:
		lines = append(lines, "- and more")
	}
	return answer(strings.Join(lines, "\n")), nil
}

// named shows the task that a command names, or the workflow that follows its pull request now.
func (v views) named(ctx context.Context, c command.Command) (decision, error) {
	r, err := v.find.named(ctx, c.Task, true)
	if err != nil {
		if final(err) {
			return answer(v.render.Error(err)), nil
		}
		return decision{}, err
	}
	if t, err := v.find.successor(ctx, r); err == nil {
		return v.task(ctx, c.Verb, t)
	}
	return v.task(ctx, c.Verb, target{id: r.id, run: r.run})
}

// task shows the state of a task or the end of its log. Without an answer of the task it shows what the server knows.
func (v views) task(ctx context.Context, verb string, t target) (decision, error) {
	status, err := v.server.status(ctx, t.id)
	if err != nil {
		r, unknown := v.server.describe(ctx, t.id)
		switch {
		case fault.KindOf(unknown) == fault.NotFound:
			return answer("Task " + v.render.Mono(t.id) + " is no longer known to the server."), nil
		case unknown != nil:
			return decision{}, err
		}
		text := "The server knows this much: task " + v.render.Mono(r.id) + ", " + v.render.Literal(render.Phase(r.phase), 30) + ", " +
			render.USD(r.cost) + "."
		if !final(err) {
			text = "No worker answers just now. " + text
		}
		return answer(text), nil
	}
	if verb == command.Logs {
		return answer(v.render.Log(status)), nil
	}
	return answer(v.render.Status(status, v.now())), nil
}

// hint answers words that are no command.
const hint = "I take commands: `run` with a task starts it, `list` shows what runs.\nWrite `help` for the others."

// help lists the commands. standard says that there is a repository for tasks that name none.
func help(standard bool) string {
	run := "`run owner/name TEXT` starts a task"
	if standard {
		run = "`run TEXT` or `run owner/name TEXT` starts a task"
	}
	return run + "; options at the end: `--budget 5`, `--time 60m`, `--base main`, `--approval required`\n\n" +
		"- `status`, `logs`, `list`: how tasks stand\n" +
		"- `approve`, `edit TEXT`, `reject`: decide about a plan\n" +
		"- `tell TEXT`: a message for the agent; `resume`, `abandon`, `cancel`\n" +
		"- `cron create \"0 9 * * 1-5\" TEXT --timezone Europe/Rome`, `cron list`, `cron delete ID`: tasks that start by the clock\n" +
		"- `allow ID`, `deny`: a command that waits; `status` shows it with its id\n" +
		"- `workspaces`, `workspaces switch NAME`, `workspaces info`: the projects that tasks can run in\n\n" +
		"In a task's thread the task is clear, and plain words are an edit or a message. " +
		"Elsewhere put the task's id, or its end, behind the verb."
}
