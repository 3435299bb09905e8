package listen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// run starts a task. The same message delivered again is the same task.
func (e *Ear) run(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	approver, a, err := e.approver(ctx, ev, d, c)
	if a != nil || err != nil {
		return answer(a), err
	}
	issue := cutIssue(&c)
	if issue > 0 && !approver { // others have written it, and nobody has vetted it
		c.Options["approval"] = task.ApprovalRequired
	}
	in, guarded, err := e.input(ctx, ev, c, approver)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	repository, err := task.ParseRepository(in.Repository)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	more := ""
	switch {
	case guarded:
		more = " Somebody who may approve has to let its plan pass, because you have chosen the branch or the repository."
	case issue > 0 && !approver:
		more = " Somebody who may approve has to let its plan pass, because others may have written the issue."
	}
	if issue > 0 {
		return e.runOfIssue(ctx, ev, d, repository, in, issue, more)
	}
	d.task = runID(repository, in.Task, ev)
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		run, err := e.c.Client.ExecuteWorkflow(ctx, startOptions(d.task, repository, in), signals.CodingTask, in)
		if err != nil {
			return done{}, noAnswer(err)
		}
		text := "Task " + e.mono(d.task) + " runs in " + e.place(repository.Text) + "." + more
		if web := e.web(d.task, run.GetRunID()); web != "" {
			text += " " + web
		}
		return done{answer: text, reason: "started"}, nil
	})
}

// approver tells whether the one who starts a task may approve plans. With an answer, or an error, it goes no further: the others may
// not loosen the approval.
func (e *Ear) approver(ctx context.Context, ev channel.Event, d deed, c Command) (bool, *channel.Answer, error) {
	ok, err := e.may(ctx, ev, toApprove)
	if err != nil && ctx.Err() != nil {
		return false, nil, err
	} // else the Directory is silent: whoever is on no list of those who may approve counts as one who may not
	if weakens(c) && !ok {
		a := e.refuse(ctx, ev, d, "no right to loosen the approval",
			"Sorry, only people who may approve can loosen the approval of a task. Leave `--approval` and `--approve-after` out, or use `--approval required`.")
		return false, &a, nil
	}
	return ok, nil, nil
}

// weakens tells whether a run would let its plan pass with less than people may have to say to it.
func weakens(c Command) bool {
	mode, given := c.Options["approval"]
	_, after := c.Options["approve-after"]
	return after || given && mode != task.ApprovalRequired
}

// runID names the task of an event, the same at every delivery.
func runID(r task.Repository, text string, ev channel.Event) string {
	sum := sha256.Sum256([]byte(ev.Room.Channel + "\x00" + ev.ID))
	var parts []string
	for _, part := range []string{r.Slug(), task.Slug(text, 32), hex.EncodeToString(sum[:4])} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "-")
}

func startOptions(id string, r task.Repository, in task.Input) client.StartWorkflowOptions {
	first, _, _ := strings.Cut(in.Task, "\n")
	details := "**Repository** " + task.Literally(in.Repository) + "\n\n**Requested by** " + task.Literally(in.RequestedBy.Name) + "\n\n"
	for line := range strings.Lines(clip(in.Task, 14000)) { // line by line, so that paragraphs stay
		details += task.Literally(strings.TrimRight(line, "\n")) + "\n"
	}
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            task.Literally(clip(oneLine(first), 180)), StaticDetails: details,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(clip(r.Text, 255)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Preparing)),
		),
	}
}

// input makes the task's input, checked as strictly as that of the command line. The branch and the repository hold the
// configuration, and with it the approval: when somebody chooses them, also by switching to a workspace, who may not approve, the task is guarded, and its plan waits
// for somebody who may.
func (e *Ear) input(ctx context.Context, ev channel.Event, c Command, approver bool) (input task.Input, guarded bool, err error) {
	repository, text, err := e.repository(c)
	if err != nil {
		return input, false, err
	}
	if repository == "" {
		if repository, err = e.standing(ctx, ev); err != nil {
			return input, false, err
		}
	}
	if repository == "" {
		return input, false, fault.New(fault.Input, "the repository is missing").WithHint("begin with it: run owner/name what is to be done")
	}
	_, ofBranch := c.Options["base"]
	if guarded = !approver && (ofBranch || repository != e.c.Repository); guarded {
		c.Options["approval"] = task.ApprovalRequired
	}
	if text == "" {
		return input, false, fault.New(fault.Input, "the task is missing: say what is to be done").WithHint("for example: run fix the failing tests")
	}
	room := ev.Room
	if room.Thread == "" && room.Channel == channel.Slack {
		room.Thread = ev.Message // so that all of it goes below the request
	}
	in := map[string]any{"repository": repository, "task": text, "room": room,
		"requestedBy": task.Person{Name: e.name(ev.User), Via: ev.Room.Channel}}
	if base, ok := c.Options["base"]; ok {
		in["base"] = base
	}
	if config := c.Config(); len(config) > 0 {
		in["config"] = config
	}
	encoded, err := json.Marshal(in)
	if err != nil {
		return input, false, fault.New(fault.Internal, "encode the input: %w", err)
	}
	input, err = task.ParseInput(encoded)
	if err != nil { // "input" is a word of files, which nobody has written here
		return input, false, fault.New(fault.KindOf(err), "%s", strings.ReplaceAll(strings.TrimPrefix(err.Error(), "input: "), "\ninput: ", "; ")).WithHint("%s", fault.HintOf(err))
	}
	return input, guarded, nil
}
