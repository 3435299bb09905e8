package github

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

// TestWantedBy tests whose act counts. Each step happens a minute after the one before.
func TestWantedBy(t *testing.T) {
	type step func(b *bench, n int)
	label := func(by, l string) step { return func(b *bench, n int) { b.server.Label(repoName, n, by, l) } }
	unlabel := func(by, l string) step { return func(b *bench, n int) { b.server.Unlabel(repoName, n, by, l) } }
	assign := func(by, to string) step { return func(b *bench, n int) { b.server.Assign(repoName, n, by, to) } }
	unassign := func(by, to string) step { return func(b *bench, n int) { b.server.Unassign(repoName, n, by, to) } }
	const bot, ours = "longshift-bot", "longshift"
	for _, c := range []struct {
		name  string
		steps []step
		by    string
		bot   bool
	}{
		{"nothing", nil, "", false},
		{"label", []step{label("alice", ours)}, "alice", false},
		{"another label after", []step{label("alice", ours), label("carol", "bug")}, "alice", false},
		{"only another label", []step{label("alice", "longshift-later")}, "", false},
		{"taken off", []step{label("alice", ours), unlabel("carol", ours)}, "", false},
		{"taken off and put on", []step{label("alice", ours), unlabel("carol", ours), label("carol", ours)}, "carol", false},
		{"assigned", []step{assign("alice", bot)}, "alice", false},
		{"assigned to another", []step{assign("alice", "carol")}, "", false},
		{"taken back", []step{assign("alice", bot), unassign("alice", bot)}, "", false},
		{"label, then assigned", []step{label("alice", ours), assign("carol", bot)}, "carol", false},
		{"assigned, then label", []step{assign("carol", bot), label("alice", ours)}, "alice", false},
		{"the newest taken back", []step{label("alice", ours), assign("carol", bot), unassign("carol", bot)}, "alice", false},
		{"label taken back, assignment stands", []step{assign("carol", bot), label("alice", ours), unlabel("alice", ours)}, "carol", false},
		{"by a bot", []step{label("renovate[bot]", ours)}, "renovate[bot]", true},
		{"closed", []step{label("alice", ours), func(b *bench, n int) { b.server.CloseIssue(repoName, n) }}, "", false},
		{"nobody known", []step{func(b *bench, n int) {
			b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Labels = []string{ours} })
		}}, "", false},
		{"history that does not fit", []step{label("alice", ours), func(b *bench, n int) {
			b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Labels = nil })
		}}, "", false},
		{"assignment gone without a word", []step{label("alice", ours), assign("carol", bot), func(b *bench, n int) {
			b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Assignees = nil })
		}}, "alice", false},
		{"label gone without a word", []step{assign("carol", bot), label("alice", ours), func(b *bench, n int) {
			b.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Labels = nil })
		}}, "carol", false},
		{"deleted", []step{label("alice", ours), func(b *bench, n int) { b.server.DeleteIssue(repoName, n) }}, "", false},
		{"long history", []step{label("alice", ours), func(b *bench, n int) {
			for range 130 {
				b.server.Label(repoName, n, "carol", "bug")
				b.server.Unlabel(repoName, n, "carol", "bug")
			}
		}, unlabel("carol", ours), label("dave", ours)}, "dave", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			n := b.server.AddIssue(repoName, forgetest.Issue{Title: "Greet", Author: "mallory"})
			for _, s := range c.steps {
				b.clock.advance(time.Minute)
				s(b, n)
			}
			i, by, isBot := b.wanted(n)
			if by != c.by || isBot != c.bot || (by == "") != (i == task.Issue{}) {
				t.Errorf("by %q, bot %t, issue %+v; want %q, %t", by, isBot, i, c.by, c.bot)
			}
		})
	}
}
