package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// The sweep of a host takes the conversations of a task out of the object store only with the workspace of its latest attempt: those of
// another host are still gone on with.
func TestConversationsGoWithTheLatestWorkspace(t *testing.T) {
	t.Parallel()
	objects := t.TempDir()
	remote := repository(t, gittest.NewBare(t, map[string]string{"a.txt": "a\n"}))
	host := func(attempt int) spaces {
		cfg := load(t, "LONGSHIFT_DATA="+t.TempDir(), "LONGSHIFT_OBJECT_STORE=file://"+objects)
		m, err := newWorkspaces(cfg, slog.New(slog.DiscardHandler))
		must(t, err)
		_, err = m.Prepare(t.Context(), workspace.Spec{TaskID: "t-1", Repository: remote, Base: "main", Branch: "longshift/t-1", Fence: attempt})
		must(t, err)
		return spaces{m, cfg}
	}
	first, second := host(1), host(2)
	kept := func() bool {
		_, err := os.Stat(filepath.Join(objects, activities.ObjectsOf("t-1"), "planner-1", "head"))
		return err == nil
	}
	put := func() {
		store, err := openObjects(t.Context(), first.config)
		must(t, err)
		defer store.Close()
		must(t, store.Put(t.Context(), activities.ObjectsOf("t-1")+"planner-1/head", []byte("entry")))
	}
	put()
	for _, c := range []struct {
		name string
		host spaces
		kept bool
	}{{"of an earlier attempt", first, true}, {"of the latest attempt", second, false}, {"whose workspace is gone", second, true}} {
		if c.name == "whose workspace is gone" { // a later round of the task works elsewhere
			put()
		}
		must(t, c.host.Remove(t.Context(), "t-1", false))
		if kept() != c.kept {
			t.Errorf("after the sweep of the host %s the conversation is there: %v", c.name, kept())
		}
	}
}

// A data folder whose worker has an object store is cleaned with that store, or not at all.
func TestCleanWithoutTheObjectStore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := hostID(folder)
	must(t, err)
	data := "LONGSHIFT_DATA=" + folder
	store := "LONGSHIFT_OBJECT_STORE=file://" + t.TempDir()
	clean := func(pairs ...string) error {
		_, err := Wiring().Sweeper(load(t, append(pairs, data)...), nil)
		return err
	}
	must(t, clean())
	_, end, err := handover(t.Context(), load(t, data, store))
	must(t, err)
	end()
	must(t, clean(store))
	wantFault(t, clean(), fault.Input, "LONGSHIFT_OBJECT_STORE is not set", "the worker's")
	_, end, err = handover(t.Context(), load(t, data))
	must(t, err)
	end()
	must(t, clean())
}
