package jobs

import (
	"context"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// Delete deletes a user's job by its id or number. Tasks that it has started continue. The error is NotFound when the user has no such
// job, also after it was deleted.
func (b Book) Delete(ctx context.Context, user, given string) (Job, error) {
	id, err := ownSlot(user, given)
	if err != nil {
		return Job{}, noJob(given)
	}
	return b.remove(ctx, id, func(j Job) bool { return j.User == user }, noJob(given))
}

// DeleteAny deletes anybody's job by its full id. It is for operators.
func (b Book) DeleteAny(ctx context.Context, id string) (Job, error) {
	none := fault.New(fault.NotFound, "no cron job %q", excerpt.Clip(id, 80)).WithHint("see cron list --all")
	if !idForm.MatchString(id) {
		return Job{}, none
	}
	return b.remove(ctx, id, func(j Job) bool { return j.User != "" }, none)
}

func (b Book) remove(ctx context.Context, id string, may func(Job) bool, none error) (Job, error) {
	j, err := b.describe(ctx, id)
	switch {
	case isGone(err), err == nil && !may(j.Job):
		return Job{}, none
	case err != nil:
		return Job{}, explain(err)
	}
	call, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := b.Client.ScheduleClient().GetHandle(call, id).Delete(call); isGone(err) {
		return Job{}, none
	} else if err != nil {
		return Job{}, explain(err)
	}
	return j.Job, nil
}
