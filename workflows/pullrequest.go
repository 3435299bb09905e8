package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// PullRequest looks after one pull request of ours until it is merged or closed: what people and checks say about it, and conflicts
// with its base, become rounds of work that run through the same stages as a task. Its input is what the task hands over.
func PullRequest(ctx workflow.Context, in signals.Follow) (signals.Status, error) {
	f, err := beginFollow(ctx, in)
	if err != nil {
		return signals.Status{}, err
	}
	err = f.run(f.work)
	if workflow.IsContinueAsNewError(err) {
		return signals.Status{}, err
	}
	return f.finish(ctx, err)
}

// follower is the state of one pull request that is looked after.
type follower struct {
	*pipeline
	in        signals.Follow
	going     signals.Going
	look      forge.Look // the newest that said anything
	looks     int        // that said anything
	begun     int        // all looks
	at        int        // which of them gave the newest
	after     int        // what an earlier one gave does not count any more
	wakes     int        // how often somebody has told us to look
	unread    int        // looks in a row that failed
	overtaken int        // rounds in a row that somebody else's push has made void
}

// run waits until there is something to do, does it in a round, and waits again. While a person is asked to look at it, it waits for
// them, and for the cause to go away.
func (f *follower) run(ctx workflow.Context) error {
	seen, resumed := 0, f.resume
	for {
		f.rest(ctx)
		if err := workflow.Await(ctx, func() bool { return f.news(seen) || f.resume > resumed || f.full(ctx) }); err != nil {
			return err
		}
		switch {
		case f.resume > resumed: // a person has looked at it
			resumed = f.resume
			f.going.Rounds, f.going.Tried = 0, map[string]string{}
			f.unpark(ctx)
			f.lookAgain()
			continue
		case !f.news(seen):
			if breathe(ctx); !f.news(seen) && f.resume == resumed && f.full(ctx) {
				return f.anew(ctx)
			}
			continue
		}
		seen = f.looks
		if err := f.act(ctx); err != nil {
			return err
		}
	}
}

// act does what the newest look asks for.
func (f *follower) act(ctx workflow.Context) error {
	items := f.todo()
	if len(items) == 0 && !f.conflict() {
		f.unpark(ctx)
		f.leaveAll(ctx, signals.LeaveRequest{}, nil)
		return nil
	}
	if why, detail := f.blocked(items); why != "" {
		f.park(ctx, why, detail)
		f.leaveAll(ctx, signals.LeaveRequest{}, nil)
		return nil
	}
	f.unpark(ctx)
	switch waited, err := f.pass(ctx, signals.PriorityResume); {
	case err != nil:
		return err
	case waited: // what there is to do may be something else by now
		f.lookAgain()
		return nil
	}
	return f.attempt(ctx, items)
}

// news tells whether there is a look that nobody has acted upon, and that is not older than what we did last.
func (f *follower) news(seen int) bool { return f.looks > seen && f.at >= f.after }

// lookAgain asks for a look that begins from now on: what was seen before does not count any more.
func (f *follower) lookAgain() {
	f.after = f.begun + 1
	f.wakes++
}

// beginFollow makes the workflow ready for messages, and starts to look.
func beginFollow(ctx workflow.Context, in signals.Follow) (*follower, error) {
	repo, err := task.ParseRepository(in.Input.Repository)
	if err != nil {
		return nil, badInput(err)
	}
	info := workflow.GetInfo(ctx)
	f := &follower{in: in, going: signals.Going{Started: workflow.Now(ctx)}, pipeline: newPipeline(ctx, in.Input, repo)}
	if in.Going != nil {
		f.going = *in.Going
	}
	if f.going.Tried == nil {
		f.going.Tried = map[string]string{}
	}
	if f.going.Done == nil {
		f.going.Done = map[string]string{}
	}
	f.continues, f.fork = true, in.Fork
	f.settings, f.before, f.maxCost, f.maxTime = in.Settings, in.Usage, in.MaxCost, in.MaxTime
	f.sessions, f.progress = max(f.going.Sessions, in.Sessions), f.going.Progress
	f.status = signals.Status{
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID, TaskID: in.TaskID, Repository: in.Input.Repository, Task: in.Input.Task,
		Started: f.going.Started, Phase: task.Following, Agent: in.Settings.Agent, Branch: in.Branch, Base: in.Base, Head: in.Head, Fence: in.Fence,
		Plan: in.Plan, Usage: in.Usage, BudgetUSD: in.BudgetUSD, Worked: in.Worked, BudgetTime: in.BudgetTime, Iterations: in.Settings.Iterations,
		PullRequest: &signals.PullRequest{Number: in.Number, URL: in.URL}, Notify: &in.Settings.Notify, Log: f.going.Log, Rounds: f.going.Rounds,
	}
	if n := len(f.going.Log); n > 0 {
		f.logged = f.going.Log[n-1].N
	}
	for _, id := range f.going.Seen {
		f.delivered[id] = true
	}
	f.seen = f.going.Seen
	for _, t := range f.going.Tells {
		f.tell(t.By, t.Text)
	}
	if err := f.listen(ctx); err != nil {
		return nil, err
	}
	f.hearChanges(ctx)
	if in.Gate != "" {
		f.reserved()
		f.guarded(activities.Checked{Limited: in.Limited, Shared: in.Shared})
		f.turns.closing = in.Gate
		f.hearTurns(ctx)
	}
	if in.Talk {
		f.joinTalk(ctx, signals.ConversationID(in.Run), f.going.Notices)
	}
	if in.Going == nil {
		f.say(ctx, "following", "looking after %s", in.URL)
		f.show(ctx, signals.Notice{})
	}
	workflow.GoNamed(ctx, "look", f.watch)
	return f, nil
}

// hearChanges counts wake-ups. What happened is read from the forge.
func (f *follower) hearChanges(ctx workflow.Context) {
	news := workflow.GetSignalChannelWithOptions(ctx, signals.Changed, workflow.SignalChannelOptions{Description: "something has happened at the pull request: {what}"})
	workflow.GoNamed(ctx, "signal "+signals.Changed, func(ctx workflow.Context) {
		for {
			var payload json.RawMessage
			if !news.Receive(ctx, &payload) {
				return
			}
			f.wakes++
		}
	})
}

// full tells whether it is time for a new run of this workflow, which begins with an empty history.
func (f *follower) full(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && len(f.talk.queue) == 0 && workflow.AllHandlersFinished(ctx)
}

// anew hands everything that counts to the next run.
func (f *follower) anew(ctx workflow.Context) error {
	in, s := f.in, &f.status
	in.Usage, in.BudgetUSD, in.Worked, in.BudgetTime, in.Plan = s.Usage, s.BudgetUSD, s.Worked, s.BudgetTime, s.Plan
	in.Head, in.Base, in.Fence = s.Head, s.Base, s.Fence
	g := f.going
	g.Sessions, g.Notices, g.Log, g.Progress = f.sessions, f.talk.n, s.Log[max(0, len(s.Log)-20):], f.progress
	g.Seen, g.Tells = f.seen[max(0, len(f.seen)-200):], nil
	for _, t := range slices.Concat(f.tells, f.untold) {
		g.Tells = append(g.Tells, signals.TellRequest{Message: signals.Message{By: t.From.Name}, Text: t.Text})
	}
	if f.at < f.after { // what was seen before does not count any more, in the next run neither
		g.Stamp = ""
	}
	in.Going = &g
	return workflow.NewContinueAsNewError(ctx, signals.PullRequestFlow, in)
}

// feedbackOf is what a session is told of an item.
func feedbackOf(i forge.Item) prompt.Feedback {
	fb := prompt.Feedback{What: kindOfItem(i), Text: i.Text, Hunk: i.Hunk, Log: i.Log}
	switch i.Kind {
	case forge.CheckItem:
		fb.Name = strings.TrimPrefix(i.Key, "check:")
	case forge.ThreadItem:
		fb.Name = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	if i.By != "" {
		fb.By = &task.Person{Name: i.By, Via: "write access"}
	}
	return fb
}
