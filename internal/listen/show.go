package listen

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// hint is what somebody gets to see whose words are no command.
func (e *Ear) hint() channel.Answer {
	return channel.Answer{Text: "I take commands: `run` and what is to be done starts a task, `list` shows what runs.\nWrite `help` for the others."}
}

func (e *Ear) help() channel.Answer {
	repository := "`run owner/name TEXT` starts a task"
	if e.c.Repository != "" {
		repository = "`run TEXT` or `run owner/name TEXT` starts a task"
	}
	return channel.Answer{Text: repository + "; options at the end: `--budget 5`, `--time 60m`, `--base main`, `--approval required`\n\n" +
		"- `status`, `logs`, `list`: how tasks stand\n" +
		"- `approve`, `edit TEXT`, `reject`: decide about a plan\n" +
		"- `tell TEXT`: a message for the next session; `resume`, `abandon`, `cancel`\n" +
		"- `cron create \"0 9 * * 1-5\" TEXT --timezone Europe/Rome`, `cron list`, `cron delete ID`: tasks that start by the clock\n" +
		"- `allow ID`, `deny`: a command that waits; `status` shows it with its id\n" +
		"- `workspaces`, `workspaces switch NAME`, `workspaces info`: the projects that tasks can run in\n\n" +
		"In a task's thread the task is clear, and plain words are an edit or a message. Elsewhere put the task's id, or its end, behind the verb."}
}

// list shows what runs, newest first.
func (e *Ear) list(ctx context.Context) (channel.Answer, error) {
	const most = 10
	var lines []string
	more := false
	err := e.each(ctx, runningTasks, most+1, func(r row) bool {
		if more = len(lines) == most; more {
			return false
		}
		line := "- " + e.mono(r.id) + " " + e.literal(phaseText(r.phase), 30)
		if r.repository != "" {
			line += ", " + e.place(r.repository)
		}
		line += fmt.Sprintf(", %s", usd(r.cost))
		if r.needsHuman {
			line += ": **needs you**"
		}
		lines = append(lines, line)
		return true
	})
	switch {
	case err != nil:
		return channel.Answer{}, err
	case len(lines) == 0:
		return channel.Answer{Text: "No task is running."}, nil
	case more:
		lines = append(lines, "- and more")
	}
	return channel.Answer{Text: strings.Join(lines, "\n")}, nil
}

// show shows the task that a command names.
func (e *Ear) show(ctx context.Context, c Command) (channel.Answer, error) {
	r, err := e.named(ctx, c.Task, true)
	if err != nil {
		if final(err) {
			return channel.Answer{Text: e.said(err)}, nil
		}
		return channel.Answer{}, err
	}
	if t, err := e.heir(ctx, r); err == nil {
		return e.showTarget(ctx, c.Verb, t)
	}
	return e.showTarget(ctx, c.Verb, target{id: r.id, run: r.run})
}

// showTarget shows how a task stands, or the end of its log.
func (e *Ear) showTarget(ctx context.Context, verb string, t target) (channel.Answer, error) {
	status, err := e.status(ctx, t.id, "")
	if err != nil {
		r, known := e.describe(ctx, t.id)
		switch {
		case fault.KindOf(known) == fault.NotFound:
			return channel.Answer{Text: "Task " + e.mono(t.id) + " is no longer known to the server."}, nil
		case known != nil:
			return channel.Answer{}, err
		}
		text := "The server knows this much: task " + e.mono(r.id) + ", " + e.literal(phaseText(r.phase), 30) + ", " + usd(r.cost) + "."
		if !final(err) {
			text = "No worker answers just now. " + text
		}
		return channel.Answer{Text: text}, nil
	}
	if verb == Logs {
		return channel.Answer{Text: e.logText(status)}, nil
	}
	return channel.Answer{Text: e.statusText(status)}, nil
}
