package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/task"
)

// emptyPrefix is the prefix of empty repositories among the mirrors, which last for one call of a remote.
const emptyPrefix = ".empty-"

// Temporary is how the paths of folders begin that stay only when the process is killed while it uses them.
func (m *Manager) Temporary() string { return filepath.Join(m.mirrors.dir, emptyPrefix) }

// Leavings names what an ended task may have left on its remote.
type Leavings struct {
	TaskID     string
	Repository task.Repository // of the task's branch and refs
	Branch     string          // "" when the task had none
	Heads      []string        // commits of the task; its branch is deleted at one of them only
}

// Deleted is what DeleteRefs has deleted.
type Deleted struct {
	Refs  []string // full names
	Moved string   // commit of the task's branch, which stays because the commit is not the task's; "" otherwise
}

// DeleteRefs deletes the branch, the checkpoint and the fence of an ended task on the remote, all or none. It needs no workspace and
// fetches nothing. Refs that are not there are no error. Each ref is deleted only at the commit at which it was seen.
func (m *Manager) DeleteRefs(ctx context.Context, l Leavings) (Deleted, error) {
	if err := checkTaskID(l.TaskID); err != nil {
		return Deleted{}, err
	}
	names := []string{checkpointRef(l.TaskID), fenceRef(l.TaskID)}
	st := state{TaskID: l.TaskID, Repository: l.Repository, Record: record{Branch: l.Branch}}
	if l.Branch != "" {
		if err := checkBranch("branch", l.Branch); err != nil {
			return Deleted{}, err
		}
		names = append(names, st.branchRef())
	}
	rem, err := m.remotes.find(ctx, l.Repository)
	if err != nil {
		return Deleted{}, err
	}
	for range tries {
		var there listing
		if there, err = rem.list(ctx, names...); err != nil {
			return Deleted{}, fmt.Errorf("list the refs of the task: %w", err)
		}
		var out Deleted
		var list []update
		for _, name := range names {
			switch at := there.refs[name]; {
			case at == "":
			case name == st.branchRef() && !slices.Contains(l.Heads, at):
				out.Moved = at
			default:
				out.Refs, list = append(out.Refs, name), append(list, update{ref: name, from: at})
			}
		}
		if len(list) == 0 {
			return out, nil
		}
		refs := m.open(l.TaskID, 0, m.place(l.TaskID), st).refs
		if err = m.pushFromNowhere(ctx, refs, rem, there.format, list); err == nil {
			return out, nil
		} else if !errors.Is(err, errMoved) {
			return Deleted{}, fmt.Errorf("delete the refs of the task: %w", err)
		}
	}
	return Deleted{}, rem.restless(err)
}

// pushFromNowhere pushes deletions from an empty repository: this host may have neither the workspace nor a mirror.
func (m *Manager) pushFromNowhere(ctx context.Context, refs *taskRefs, rem remote, format string, list []update) error {
	dir, err := os.MkdirTemp(m.mirrors.dir, emptyPrefix)
	if err != nil {
		return disk.Fault(fmt.Errorf("make an empty repository: %w", err), m.mirrors.dir)
	}
	defer os.RemoveAll(dir)
	if _, err := (shape{format: format, branch: "none"}).enforce(dir); err != nil {
		return err
	}
	return refs.through(repo{runner: m.runner, dir: dir}).push(ctx, rem, list)
}
