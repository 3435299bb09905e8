package github

import (
	"context"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

func sha(digit string) string { return strings.Repeat(digit, 40) }

// The state of a repository before a task is started: where it would begin, and whether its branches can be pushed there.
func TestStanding(t *testing.T) {
	server := forgetest.NewGitHub(t)
	server.AddRepository(forgetest.Repository{Name: "acme/web", Default: "trunk", Branches: map[string]string{"trunk": sha("1"), "feature/x": sha("2")}})
	server.AddRepository(forgetest.Repository{Name: "acme/read", ReadOnly: true, Branches: map[string]string{"main": sha("3"), "longshift/old": sha("4")}})
	server.AddRepository(forgetest.Repository{Name: "acme/old", Archived: true, Branches: map[string]string{"main": sha("3")}})
	token := func(context.Context) (string, error) { return forgetest.Token, nil }
	hub, err := New(Config{Token: token, HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(text, base string) (RepositoryState, error) {
		r, err := task.ParseRepository(text)
		if err != nil {
			t.Fatal(err)
		}
		return hub.RepositoryState(t.Context(), r, base, "longshift/")
	}
	for _, c := range []struct {
		repository, base string
		want             RepositoryState
		fault            fault.Kind
	}{
		{"acme/web", "", RepositoryState{Base: "trunk", Head: sha("1"), Writable: true}, ""},
		{"acme/web", "feature/x", RepositoryState{Base: "feature/x", Head: sha("2"), Writable: true}, ""},
		{"acme/web", "nope", RepositoryState{Base: "nope", Writable: true}, ""},
		{"acme/read", "", RepositoryState{Base: "main", Head: sha("3"), Known: true}, ""},
		{"acme/old", "", RepositoryState{}, fault.Denied},
		{"acme/none", "", RepositoryState{}, fault.NotFound},
		{"https://gitlab.com/acme/web", "", RepositoryState{}, fault.Input},
	} {
		if got, err := ask(c.repository, c.base); got != c.want || fault.KindOf(err) != c.fault {
			t.Errorf("%s, base %q: %+v, %v", c.repository, c.base, got, err)
		}
	}
	server.SetApp() // the token of an app is not told what it may do
	if got, err := ask("acme/web", ""); err != nil || !got.Writable {
		t.Errorf("%+v, %v", got, err)
	}
}
