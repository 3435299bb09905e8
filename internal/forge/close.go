package forge

import "github.com/longshift/longshift/internal/fault"

// MayClose returns the fault of a pull request that a task may not close: it is not the task's own, or it is merged. Name is how messages
// name the pull request.
func MayClose(name, body, taskID string, s State) error {
	if id, _, ok := FindTag(body); !ok || id != taskID {
		return fault.New(fault.Changed, "pull request %s was not opened by this task", name).
			WithHint("look at it; close it yourself if nobody wants it")
	}
	if s == Merged {
		return fault.New(fault.Conflict, "pull request %s is merged", name).WithHint("revert the merge instead")
	}
	return nil
}
