// Package forgetest holds what tests of forges need: the suite that every forge must pass, git repositories to open pull requests
// in, and a server that plays GitHub. It is for tests only; nothing outside of them may import it.
package forgetest

import (
	"context"
	"reflect"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// Fixture is a forge with one empty repository, made new for each case of the suite.
type Fixture struct {
	Forge      forge.Forge
	Repository task.Repository
	Missing    task.Repository // names a repository that isn't there
	GitDir     string          // of the repository, made by NewRepository, or of its fork; the suite makes branches in it
	HeadOwner  string          // of the fork; "" when GitDir is the repository's

	// Pulls gives the pull requests that exist, in the order of their numbers.
	Pulls func(t *testing.T) []PullState
	// OpenForeign opens a pull request that is not the task's, with a body, and gives its number.
	OpenForeign func(t *testing.T, head, base, body string) int
	Close       func(t *testing.T, number int)
	Merge       func(t *testing.T, number int)
	// Die gives a context under which the next call ends as if the process had died just after the pull request came into being.
	Die func(t *testing.T) context.Context

	// Where people write, of a Talker and a Follower; nil elsewhere. AddIssue opens an issue. Say has a person who may write comment on an
	// issue or a pull request, and gives the comment's id. Comments gives what the forge's own account has written there, oldest first.
	AddIssue func(t *testing.T, title string) int
	Say      func(t *testing.T, number int, text string) int64
	Comments func(t *testing.T, number int) []string
}

// PullState is a pull request as the forge itself has it.
type PullState struct {
	Number     int
	State      forge.State
	Title      string
	Body       string
	Head, Base string
	Draft      bool
	Labels     []string
	Reviewers  []string // users that are asked, and teams as org/team
}

// Conform holds a forge against the contract of forge.Forge, and against those of Stater, Closer, Differ, Talker and Follower as far as it
// has them: that what is missing is said to be so, and that a second call has no effect of its own. It knows nothing of Forker, Watcher,
// Tracker, Marker and CheckRunner, nor of what a snapshot holds: that the forge's own tests must show.
func Conform(t *testing.T, open func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, f Fixture)
	}{
		{"create", testCreate},
		{"call again finds", testFindAgain},
		{"text and labels follow", testUpdate},
		{"one task at the same time", testConcurrentSame},
		{"many tasks at the same time", testConcurrentMany},
		{"death after creation", testDeath},
		{"another task's pull request", testForeign},
		{"a person's pull request", testPerson},
		{"closed is found", testClosed},
		{"merged is found", testMerged},
		{"closed one of another task", testForeignClosed},
		{"missing repository", testMissing},
		{"forged mark in the text", testForged},
		{"older attempt", testFenced},
		{"newer attempt", testNewerAttempt},
		{"odd task id", testOddID},
		{"nothing to merge", testNoCommits},
		{"base branch missing", testNoBase},
		{"head branch missing", testNoHead},
		{"request without title", testBadRequest},
		{"long body", testLongBody},
		{"state", testState},
		{"state of what is merged", testStateMerged},
		{"state of what is missing", testStateMissing},
		{"close", testClose},
		{"close what is merged", testCloseMerged},
		{"close another's", testCloseForeign},
		{"close what is missing", testCloseMissing},
		{"diff", testDiff},
		{"diff of what is missing", testDiffMissing},
		{"comment again", testCommentAgain},
		{"react again", testReactAgain},
		{"answer again", testAnswerAgain},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// can gives the forge as an interface that a forge need not have, and skips the case where it has not.
func can[I any](t *testing.T, f Fixture) I {
	t.Helper()
	able, ok := f.Forge.(I)
	if !ok {
		t.Skipf("the forge is no %s", reflect.TypeFor[I]())
	}
	return able
}

// request is a pull request of task-1 from a fresh branch.
func request(t *testing.T, f Fixture) forge.Request {
	t.Helper()
	const head = "longshift/task-1"
	return forge.Request{
		Repository: f.Repository, TaskID: "task-1", Fence: 1, Head: head, HeadOwner: f.HeadOwner,
		HeadCommit: AddBranch(t, f.GitDir, head, "main"), Base: "main",
		Title: "Greet in French", Body: "What was done.\n\nCloses #3", Labels: []string{"longshift"},
	}
}

// ensure makes a call that must go well.
func ensure(t *testing.T, f Fixture, r forge.Request) forge.PullRequest {
	t.Helper()
	p, err := f.Forge.EnsurePullRequest(t.Context(), r)
	if err != nil {
		t.Fatalf("EnsurePullRequest: %v", err)
	}
	return p
}

// only gives the one pull request that stands.
func only(t *testing.T, f Fixture) PullState {
	t.Helper()
	all := f.Pulls(t)
	if len(all) != 1 {
		t.Fatalf("%d pull requests stand, want 1: %+v", len(all), all)
	}
	return all[0]
}
