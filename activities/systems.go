package activities

import (
	"context"

	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
)

type systemKey struct {
	ref      Ref
	role     task.Role
	standing prompt.Conventions
}

type systemText struct {
	place // as it was then; confine looks at it anew
	text  string
}

// mostSystems bounds the system texts that are kept: tasks that end badly are never cleaned up.
const mostSystems = 64

// system gives the workspace's folder and the system text of a role. The first session of a role reads the base commit for it.
func (h *Host) system(ctx context.Context, in SessionInput) (systemText, error) {
	standing := in.Prompt.Conventions
	standing.Structured = in.structured()
	key := systemKey{in.Ref, in.Role, standing}
	h.ahead.mu.Lock()
	known, ok := h.ahead.systems[key]
	h.ahead.mu.Unlock()
	if ok {
		return known, nil
	}
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return systemText{}, err
	}
	defer tree.Close()
	text, err := prompt.System(in.Role, standing, func(path string) ([]byte, bool, error) { return tree.File(ctx, path) })
	if err != nil {
		return systemText{}, err
	}
	where, err := h.placeOf(ctx, tree)
	if err != nil {
		return systemText{}, err
	}
	known = systemText{where, text}
	h.ahead.mu.Lock()
	defer h.ahead.mu.Unlock()
	if h.ahead.systems == nil || len(h.ahead.systems) >= mostSystems {
		h.ahead.systems = map[systemKey]systemText{}
	}
	h.ahead.systems[key] = known
	return known, nil
}
