package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// taskFolder is where this host keeps what belongs to a task. A task whose worker does not answer is found by the end of its
// run's id, which is the end of the folder's name.
func taskFolder(data string, f tasks.Found, status *signals.Status) (string, error) {
	if status != nil && status.TaskID != "" {
		if status.TaskID != filepath.Base(status.TaskID) || status.TaskID == ".." {
			return "", fault.New(fault.Internal, "task %s has the folder name %q", f.ID, status.TaskID)
		}
		return filepath.Join(data, "tasks", status.TaskID), nil
	}
	end := f.Run
	if len(end) > 8 {
		end = end[len(end)-8:]
	}
	slug := task.Slug(f.ID, 60)
	if slug == "" {
		slug = "task"
	}
	return filepath.Join(data, "tasks", slug+"-"+end), nil
}

// logName reads the number and the role of a session out of the name of its log, such as 02-implementer.log.
func logName(name string) (n int, role string, ok bool) {
	stem, found := strings.CutSuffix(name, ".log")
	if !found {
		return 0, "", false
	}
	_, err := fmt.Sscanf(stem, "%d-%s", &n, &role)
	return n, role, err == nil && n > 0
}

// listLogs lists the sessions' logs in the folder. A folder that is not there has none.
func listLogs(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Denied, "read logs: %w", err).WithHint("run as the user of the worker")
	}
	return entries, nil
}
