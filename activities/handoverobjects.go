package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/objectstore"
	"github.com/longshift/longshift/internal/repo/workspace"
)

// objectOf is the key of the part of a conversation that ends with an entry.
func objectOf(taskID, session, head string) string {
	return fmt.Sprintf("%s%s/%s", ObjectsOf(taskID), session, head)
}

// ObjectsOf is what the keys of a task in the object store begin with.
func ObjectsOf(taskID string) string { return "conversations/" + taskID + "/" }

// export puts the entries since the last time into the object store, as one object.
func (h *handovers) export(ctx context.Context, m moment, since string) error {
	if h.objects == nil || since == m.head {
		return nil
	}
	data, err := m.store.Export(since, m.head)
	if err != nil { // the session has begun anew since
		data, err = m.store.Export("", m.head)
	}
	if err != nil {
		return err
	}
	return h.objects.Put(ctx, objectOf(m.in.TaskID, m.in.ID, m.head), data)
}

// fetch brings a conversation to this host, as far as it is in the object store.
func (h *handovers) fetch(ctx context.Context, act Act, store transcript.Store, head string) error {
	for name := head; name != "" && h.objects != nil; {
		if _, err := store.Get(name); err == nil {
			return nil // here, and so what comes before it
		}
		data, err := h.objects.Get(ctx, objectOf(act.TaskID, act.Session, name))
		if errors.Is(err, objectstore.ErrMissing) {
			return nil
		}
		if err != nil {
			return err
		}
		if name, err = store.Import(name, data); err != nil {
			return fault.New(fault.Infra, "%w", err)
		}
	}
	return nil
}

// left returns where the session stood when the work tree was brought away that this host has begun with; the zero value when it has not
// begun with one, and when the session has gone on here since.
func (h *handovers) left(ctx context.Context, tree *workspace.Tree, since string) (p point, snapshot string, err error) {
	s, err := tree.Snapshot(ctx)
	if err != nil || s.Commit == since {
		return p, since, err
	}
	_ = json.Unmarshal([]byte(s.Note), &p) // a note that is not ours names no session
	return p, s.Commit, nil
}
