package listen

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// nameForm is what a task's id is made of.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,200}$`)

// shortest is how many characters a part of an id has at least, so that no word of a sentence is taken for one.
const shortest = 4

// named finds a task by its id, or by a beginning or an end of it that only one running task has; with ended, one that only one
// task has. NotFound says that there is none.
func (e *Ear) named(ctx context.Context, given string, ended bool) (row, error) {
	none := fault.New(fault.NotFound, "no task %q", clip(given, 60)).WithHint("list shows what runs")
	if !nameForm.MatchString(given) {
		return row{}, none
	}
	r, err := e.describe(ctx, given)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return r, err
	}
	if len(given) < shortest {
		return row{}, none
	}
	queries := []string{runningTasks}
	if ended {
		queries = append(queries, allTasks)
	}
	for _, query := range queries {
		matches := map[string]row{}
		var ids []string
		err := e.each(ctx, query, 5000, func(r row) bool {
			if _, twice := matches[r.id]; !twice && (strings.HasPrefix(r.id, given) || strings.HasSuffix(r.id, given)) {
				matches[r.id] = r
				ids = append(ids, r.id)
			}
			return len(ids) < 5
		})
		switch {
		case err != nil:
			return row{}, err
		case len(ids) == 1:
			return e.describe(ctx, ids[0])
		case len(ids) > 1:
			return row{}, fault.New(fault.Input, "%q is not clear: it could be %s", given, strings.Join(ids, ", ")).WithHint("give more of the id")
		}
	}
	return row{}, none
}

// describe looks a task up by its whole id.
func (e *Ear) describe(ctx context.Context, id string) (row, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	d, err := e.c.Client.DescribeWorkflowExecution(ctx, id, "")
	var gone *serviceerror.NotFound
	var invalid *serviceerror.InvalidArgument
	if errors.As(err, &gone) || errors.As(err, &invalid) {
		return row{}, fault.New(fault.NotFound, "no task %q", id).WithHint("list shows what runs")
	}
	if err != nil {
		return row{}, noAnswer(err)
	}
	r := readRow(d.GetWorkflowExecutionInfo())
	if r.kind != signals.CodingTask && r.kind != signals.PullRequestFlow {
		return row{}, fault.New(fault.NotFound, "%q is no task", id).WithHint("list shows what runs")
	}
	return r, nil
}

// heir gives who takes what is said to a task: itself while it runs, else what looks after its pull request now.
func (e *Ear) heir(ctx context.Context, r row) (target, error) {
	if r.running {
		return target{id: r.id, run: r.run, first: r.first}, nil
	}
	over := fault.New(fault.Conflict, "task %s has ended: %s", r.id, strings.ReplaceAll(string(r.outcome), "_", " "))
	if r.outcome != task.PullRequest {
		return target{}, over
	}
	first := r.first
	if first == "" {
		first = r.run
	}
	t, err := e.subject(ctx, signals.ConversationID(first))
	switch {
	case err != nil && !final(err):
		return target{}, err
	case err != nil || t.id == r.id:
		return target{}, over
	}
	return t, nil
}
