package chaos

import (
	"fmt"
	"slices"

	"github.com/longshift/longshift/test/lab"
)

// point is a moment at which the worker is killed.
type point struct {
	name string
	rule string // in the session that this rule answers, before the turn is answered
	turn int
	step lab.Step // or when this step has just completed
	git  int      // or before the nth request that pushes is served
	hub  string   // or at the POST of the pull request: before or after it takes effect

	claude bool   // Claude Code plays the story at any point
	agent  string // that plays it, if another does
}

// scripted reports whether the scripted agent plays the story. Claude Code, which costs most of a run's processor time, plays it where the
// kill is in a session, or at the end of the first one of each role.
func (p point) scripted() bool {
	atEnd := p.step.Activity == "RunAgent" && slices.Contains([]int{1, 2, 4}, p.step.N)
	return !p.claude && p.rule == "" && !atEnd
}

// points are every stage boundary and the middle of every session of the story.
func points() []point {
	var all []point
	for _, r := range lab.Script().Rules {
		for turn := range r.Turns {
			all = append(all, point{name: fmt.Sprintf("session %s turn %d", r.Name, turn), rule: r.Name, turn: turn})
		}
	}
	for _, s := range []struct {
		activity string
		n        int
	}{{"CheckForge", 1}, {"AssignTask", 1}, {"PrepareWorkspace", 1}, {"RunAgent", 7}, {"RunSetup", 2}, {"RunChecks", 4}, {"CommitWork", 3},
		{"PushBranch", 1}, {"OpenPullRequest", 1}, {"CleanUp", 1}} {
		for n := 1; n <= s.n; n++ {
			all = append(all, point{name: fmt.Sprintf("after %s %d", s.activity, n), step: lab.Step{Activity: s.activity, N: n}})
		}
	}
	for n := 1; n <= 6; n++ { // fence, three checkpoints, branch, clean-up
		all = append(all, point{name: fmt.Sprintf("push %d", n), git: n})
	}
	return append(all, point{name: "before the pull request", hub: "before"}, point{name: "after the pull request", hub: "after"})
}
