package activities

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// CheckRunInput says how the work on a pull request stands at a commit.
type CheckRunInput struct {
	Repository task.Repository `json:"repository"`
	TaskID     string          `json:"taskId"`
	Commit     string          `json:"commit"`
	N          int             `json:"n"` // number of the check run; one on another commit can have the same
	Standing   forge.Standing  `json:"standing"`
}

// WriteCheckRun shows on a commit how the work on its pull request stands, or brings up to date what it shows there.
func (p *PullRequests) WriteCheckRun(ctx context.Context, in CheckRunInput) error {
	f, err := p.forge(ctx, in.Repository)
	if err != nil {
		return err
	}
	runner, ok := f.(forge.CheckRunner)
	if !ok || !runner.WritesCheckRuns() {
		return fault.New(fault.Denied, "the forge of %s takes no check runs from this login", in.Repository.Text)
	}
	in.Standing.Summary.RunURL = taskURL(ctx, p.web)
	run := in.Standing.CheckRun(in.Commit, forge.CheckRunKey(in.TaskID, in.N))
	for _, text := range []*string{&run.Title, &run.Summary, &run.Text} {
		*text = p.redact.String(*text)
	}
	if err := runner.WriteCheckRun(ctx, in.Repository, run); err != nil {
		return fmt.Errorf("write the check run of %s: %w", in.Commit, err)
	}
	return nil
}
