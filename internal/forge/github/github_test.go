package github

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

func TestConform(t *testing.T) {
	forgetest.Conform(t, func(t *testing.T) forgetest.Fixture { return newBench(t).fixture("") })
}

// TestConformForked: branches in a fork change nothing else.
func TestConformForked(t *testing.T) {
	forgetest.Conform(t, func(t *testing.T) forgetest.Fixture {
		b := newBench(t)
		fork, err := b.forge.Fork(t.Context(), shop())
		if err != nil {
			t.Fatal(err)
		}
		f := b.fixture(fork.Text)
		f.GitDir, _ = b.server.GitDir(fork.Text)
		f.HeadOwner = fork.Owner
		return f
	})
}

// fixture is the bench for the suite. from is the fork that pull requests of others come from, "" for none.
func (b *bench) fixture(from string) forgetest.Fixture {
	return forgetest.Fixture{
		Forge: b.forge, Repository: shop(), GitDir: b.gitDir,
		Missing: task.Repository{Text: "acme/nowhere", Owner: "acme", Name: "nowhere"},
		Pulls:   func(*testing.T) []forgetest.PullState { return b.standing() },
		OpenForeign: func(_ *testing.T, head, base, body string) int {
			return b.server.OpenPull("acme/shop", forgetest.Pull{Title: "Another", Head: head, From: from, Base: base, Body: body, Author: "bob"})
		},
		Close: func(_ *testing.T, number int) { b.server.Close("acme/shop", number) },
		Merge: func(_ *testing.T, number int) { b.server.Merge("acme/shop", number) },
		Die: func(t *testing.T) context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			b.server.Inject(forgetest.Death(cancel).On(http.MethodPost, "/pulls"))
			return ctx
		},
		AddIssue: func(_ *testing.T, title string) int {
			return b.server.AddIssue("acme/shop", forgetest.Issue{Title: title})
		},
		Say: func(_ *testing.T, number int, text string) int64 {
			return b.server.CommentOn("acme/shop", number, "alice", text)
		},
		Comments: func(_ *testing.T, number int) (all []string) {
			for _, c := range b.server.Comments("acme/shop", number) {
				if c.By != "alice" {
					all = append(all, c.Body)
				}
			}
			return all
		},
	}
}

func (b *bench) standing() []forgetest.PullState {
	var all []forgetest.PullState
	for _, p := range b.server.Pulls("acme/shop") {
		s := forgetest.PullState{
			Number: p.Number, State: forge.State(p.State), Title: p.Title, Body: p.Body, Head: p.Head, Base: p.Base,
			Draft: p.Draft, Labels: p.Labels, Reviewers: slices.Clone(p.Reviewers),
		}
		if p.Merged {
			s.State = forge.Merged
		}
		for _, team := range p.Teams {
			s.Reviewers = append(s.Reviewers, "acme/"+team)
		}
		all = append(all, s)
	}
	return all
}
