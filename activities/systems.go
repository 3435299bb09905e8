package activities

import (
	"context"
	"maps"
	"sync"

	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// systemTexts keeps the system texts of roles, which are the same for every session of a role in one task.
type systemTexts struct {
	workspaces *workspace.Manager

	mu    sync.Mutex
	texts map[systemKey]systemText
}

type systemKey struct {
	ref         Ref
	role        task.Role
	conventions prompt.Conventions
}

type systemText struct {
	layout // at that time; confine reads it again
	text   string
}

// mostSystems limits the kept texts, because tasks that end badly are not cleaned up.
const mostSystems = 64

// of returns the workspace's layout and the system text of a role. The first session of a role reads the base commit for it.
func (s *systemTexts) of(ctx context.Context, in SessionInput) (systemText, error) {
	conventions := in.Prompt.Conventions
	conventions.Tools = in.byTools()
	key := systemKey{in.Ref, in.Role, conventions}
	s.mu.Lock()
	known, ok := s.texts[key]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	tree, err := s.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return systemText{}, err
	}
	defer tree.Close()
	files, err := tree.Base.Files(ctx)
	if err != nil {
		return systemText{}, err
	}
	text, err := prompt.System(in.Role, conventions, files)
	if err != nil {
		return systemText{}, err
	}
	where, err := layoutOf(ctx, tree)
	if err != nil {
		return systemText{}, err
	}
	known = systemText{where, text}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil || len(s.texts) >= mostSystems {
		s.texts = map[systemKey]systemText{}
	}
	s.texts[key] = known
	return known, nil
}

func (s *systemTexts) forget(taskID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.texts, func(key systemKey, _ systemText) bool { return key.ref.TaskID == taskID })
}
