package inbound

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// nameForm is the form of a task's id, or of a part of it.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,200}$`)

// minName is the shortest part of an id that names a task; a shorter one could be any word of a sentence.
const minName = 4

// named finds a task by its id, or by the beginning or the end of its id. Only one running task may match; with ended, tasks that have
// ended are looked through next. NotFound says that there is none.
func (f finder) named(ctx context.Context, given string, ended bool) (row, error) {
	none := fault.New(fault.NotFound, "no task %q", excerpt.Clip(given, 60)).WithHint("list shows what runs")
	if !nameForm.MatchString(given) {
		return row{}, none
	}
	r, err := f.server.describe(ctx, given)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return r, err
	}
	if len(given) < minName {
		return row{}, none
	}
	queries := []string{runningTasks}
	if ended {
		queries = append(queries, allTasks)
	}
	for _, query := range queries {
		var ids []string
		err := f.server.each(ctx, query, 5000, func(r row) bool {
			if !slices.Contains(ids, r.id) && isNamed(r.id, given) {
				ids = append(ids, r.id)
			}
			return len(ids) < 5
		})
		switch {
		case err != nil:
			return row{}, err
		case len(ids) == 1:
			return f.server.describe(ctx, ids[0])
		case len(ids) > 1:
			return row{}, fault.New(fault.Input, "%q is not clear: it could be %s", given, strings.Join(ids, ", ")).WithHint("give more of the id")
		}
	}
	return row{}, none
}

// isNamed tells whether a person who gives an id, or its beginning or its end, may mean this task.
func isNamed(id, given string) bool {
	return id == given || len(given) >= minName && (strings.HasPrefix(id, given) || strings.HasSuffix(id, given))
}

// successor returns the workflow that takes commands for a task: the task while it runs, then the workflow that follows its pull request.
// A task without one is a fault of kind Conflict.
func (f finder) successor(ctx context.Context, r row) (target, error) {
	if r.running {
		return target{id: r.id, run: r.run, firstRun: r.first}, nil
	}
	over := fault.New(fault.Conflict, "task %s has ended: %s", r.id, strings.ReplaceAll(string(r.outcome), "_", " "))
	if r.outcome != task.PullRequest && r.outcome != task.ChecksFailed { // with a pull request, which is a draft
		return target{}, over
	}
	first := r.first
	if first == "" {
		first = r.run
	}
	t, err := f.taskOf(ctx, signals.ConversationID(first))
	switch {
	case err != nil && !final(err):
		return target{}, err
	case err != nil || t.id == r.id:
		return target{}, over
	}
	return t, nil
}
