package inbound

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/task"
)

// inputs makes the inputs of tasks that people start from chats.
type inputs struct {
	rights     rights
	projects   currentProjects
	repository string // that the operator has set; empty for none
	render     render.Markdown
}

// approver reports whether the person who starts a task may approve plans. Other people may not weaken the approval: they are refused.
func (i inputs) approver(ctx context.Context, ev channel.Event, r request, c command.Command) (bool, error) {
	ok, err := i.rights.may(ctx, ev, toApprove)
	if err != nil && ctx.Err() != nil {
		return false, err
	} // else the Directory does not answer: people who are not on the list count as people who may not approve
	if c.WeakensApproval() && !ok {
		return false, r.refuse("no right to loosen the approval", "Sorry, only people who may approve can loosen the approval of a task. "+
			"Leave `--approval` and `--approve-after` out, or use `--approval required`.")
	}
	return ok, nil
}

// make makes the input of a task, checked as strictly as that of the command line. The branch and the repository hold the
// configuration, and with it the approval. When a person who may not approve chooses one of them, also by switching to a project, the
// task is guarded: its plan waits for a person who may approve.
func (i inputs) make(ctx context.Context, ev channel.Event, c command.Command, approver bool) (input task.Input, guarded bool, err error) {
	repository, text, err := c.Repository(i.repository)
	if err != nil {
		return input, false, err
	}
	if repository == "" {
		if repository, err = i.projects.repository(ctx, ev, i.repository); err != nil {
			return input, false, err
		}
	}
	if repository == "" {
		return input, false, fault.New(fault.Input, "the repository is missing").WithHint("start with it: run owner/name TASK")
	}
	base, branched := c.Options["base"]
	if guarded = !approver && (branched || repository != i.repository); guarded {
		c.Options["approval"] = task.ApprovalRequired
	}
	if text == "" {
		return input, false, fault.New(fault.Input, "the task is missing: say what to do").
			WithHint("for example: run fix the failing tests")
	}
	room := ev.Room
	if room.Thread == "" && room.Channel == channel.Slack {
		room.Thread = ev.Message // so that everything about the task appears below the request
	}
	in := map[string]any{"repository": repository, "task": text, "room": room,
		"requestedBy": task.Person{Name: i.render.Name(ev.User.Name, ev.User.ID), Via: ev.Room.Channel}}
	if branched {
		in["base"] = base
	}
	if config := c.Config(); len(config) > 0 {
		in["config"] = config
	}
	encoded, err := json.Marshal(in)
	if err != nil {
		return input, false, fault.New(fault.Internal, "encode the input: %w", err)
	}
	if input, err = task.ParseInput(encoded); err != nil { // "input" is a word of files, and there is none here
		text := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "input: "), "\ninput: ", "; ")
		return input, false, fault.New(fault.KindOf(err), "%s", text).WithHint("%s", fault.HintOf(err))
	}
	return input, guarded, nil
}
