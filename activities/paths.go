package activities

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// pathScope is what the settings of a task say about paths, for one role or, with "", for setup and check.
type pathScope struct {
	task.PathSettings
	role    task.Role
	planned []string // files that the approved plan opens
}

func (in SessionInput) scope() pathScope {
	return pathScope{PathSettings: in.Paths, role: in.Role, planned: in.Prompt.Plan.Opened()}
}

// scopes returns the scope of every role, for policy.
func (s pathScope) scopes() map[task.Role]policy.Scope {
	all := map[task.Role]policy.Scope{}
	for _, role := range task.Roles() {
		all[role] = policy.Scope{Write: s.Write, ReadOnly: s.ReadOnly, TaskWritable: s.TaskWritable, Named: s.planned,
			Ignore: s.HiddenFrom(role)}
	}
	return all
}

// fixed lists the patterns whose paths no program of the scope may write. A pattern that holds a planned file is left to policy.
func (s pathScope) fixed() []string {
	if s.role == "" {
		return s.ReadOnly
	}
	closed := slices.DeleteFunc(slices.Clone(s.TaskWritable), func(pattern string) bool {
		folder, ok := plainPath(pattern)
		return !ok || slices.ContainsFunc(s.planned, func(f string) bool { return strings.HasPrefix(f+"/", folder+"/") })
	})
	return slices.Concat(s.ReadOnly, closed)
}

// closed returns a function that says why the settings let no implementer change a file, "" when they do. It returns nil when they close
// nothing.
func (s pathScope) closed() (func(path string) string, error) {
	if len(s.Write)+len(s.ReadOnly)+len(s.TaskWritable)+len(s.HiddenFrom(task.Implementer)) == 0 {
		return nil, nil
	}
	p, err := policy.New(policy.Config{Root: "/workspace", Scopes: s.scopes()})
	if err != nil {
		return nil, fmt.Errorf("the settings for paths: %w", err)
	}
	return func(path string) string {
		d := p.Changeable(task.Implementer, path)
		if d.Verdict == policy.Allow {
			return ""
		}
		return d.Reason
	}, nil
}

const mostPaths = 8 // findings about paths

// outside returns a function that finds changes of files that the settings let no implementer change, whoever made them: policy can't see
// inside a program, and a mount takes no pattern. It returns nil when the settings say nothing about it.
func (s pathScope) outside() (func(workspace.FileChange) []task.Finding, error) {
	closed, err := s.closed()
	if err != nil || closed == nil {
		return nil, err
	}
	found := 0
	return func(c workspace.FileChange) []task.Finding {
		for _, path := range []string{c.Path, c.OldPath} {
			why := closed(path)
			if path == "" || why == "" || found == mostPaths {
				continue
			}
			found++
			sum := sha256.Sum256([]byte(task.PathsFinding + "\x00" + path + "\x00" + c.NewMode + c.NewID))
			return []task.Finding{{ID: fmt.Sprintf("%x", sum[:16]), Kind: task.PathsFinding, What: why, Action: task.RefuseFinding}}
		}
		return nil
	}, nil
}
