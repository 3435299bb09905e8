package activities

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// checkNeeds refuses a task that needs variables which this host does not set, before it costs anything. A task that has already begun
// goes on: its commands fail without the variables, and their output says so.
func (p *Preparer) checkNeeds(ctx context.Context, in PrepareInput, s task.Settings) error {
	missing, err := p.env.lacks(in.Repository, s)
	if err != nil || len(missing) == 0 {
		return err
	}
	names := strings.Join(missing, ", ")
	if in.Branch == "" {
		return fault.New(fault.Input, "needsEnv: %s: host %s provides no such variable for tasks of %s", names, p.host, in.Repository.Text).
			WithHint("start its worker with LONGSHIFT_TASK_SECRETS=NAME@%s and the value in NAME, "+
				"or with LONGSHIFT_TASK_ENV if it is no secret; or remove it from needsEnv", in.Repository.Text)
	}
	p.log.WarnContext(ctx, "A task continues without variables that it needs", "task", in.TaskID, "variables", names)
	return nil
}
