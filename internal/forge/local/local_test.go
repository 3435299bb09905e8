package local

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

// begin is the time on the clock of the tests.
var begin = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func newForge() *Forge { return New(Config{Now: func() time.Time { return begin }}) }

func at(path string) task.Repository { return task.Repository{Text: path, Path: path, Name: "shop"} }

func TestConform(t *testing.T) {
	forgetest.Conform(t, func(t *testing.T) forgetest.Fixture {
		dir, f := forgetest.NewRepository(t), newForge()
		return forgetest.Fixture{
			Forge: f, Repository: at(dir), Missing: at(filepath.Join(t.TempDir(), "nowhere")), GitDir: dir,
			Pulls:       func(t *testing.T) []forgetest.PullState { return standing(t, dir) },
			OpenForeign: func(t *testing.T, head, base, body string) int { return openForeign(t, dir, head, base, body) },
			Close: func(t *testing.T, number int) {
				if _, err := f.Close(t.Context(), at(dir), number, read(t, dir, number).Task); err != nil {
					t.Fatal(err)
				}
			},
			Merge: func(t *testing.T, number int) {
				forgetest.PointBranch(t, dir, "main", read(t, dir, number).Head)
			},
			Die: func(t *testing.T) context.Context {
				ctx, cancel := context.WithCancel(t.Context())
				f.written = cancel
				return ctx
			},
		}
	})
}

func standing(t *testing.T, dir string) []forgetest.PullState {
	t.Helper()
	var all []forgetest.PullState
	for n := 1; ; n++ {
		r, err := Read(t.Context(), dir, n)
		if fault.KindOf(err) == fault.NotFound {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, forgetest.PullState{
			Number: r.Number, State: r.State, Title: r.Title, Body: r.Body, Head: r.Head, Base: r.Base,
			Draft: r.Draft, Labels: r.Labels, Reviewers: r.Reviewers,
		})
	}
}

func openForeign(t *testing.T, dir, head, base, body string) int {
	t.Helper()
	id, fence, ok := forge.FindTag(body)
	if !ok {
		id = "a person"
	}
	p, err := newForge().EnsurePullRequest(t.Context(), forge.Request{
		Repository: at(dir), TaskID: id, Fence: fence, Head: head, Base: base, Title: "Another", Body: body,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Number
}

func read(t *testing.T, dir string, number int) Record {
	t.Helper()
	r, err := Read(t.Context(), dir, number)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
