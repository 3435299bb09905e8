package chaos

import (
	"cmp"
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
	next string   // rule of the session that comes next when it is in none

	claude bool   // Claude Code plays the story at any point
	agent  string // that plays it, if another does
}

// scripted reports whether the scripted agent plays the story. Claude Code, which costs most of a run's processor time, plays it where the
// kill is in a session, or at the end of the first one of each role.
func (p point) scripted() bool {
	atEnd := p.step.Activity == "RunAgent" && slices.Contains([]int{1, 2, 4}, p.step.N)
	return !p.claude && p.rule == "" && !atEnd
}

// story lists the activities of a run, in order, each with its push, whether it opens the pull request, and the rule that answers its session.
var story = []struct {
	activity string
	git      int // number of the push
	opens    bool
	rule     string
}{
	{activity: "CheckForge"}, {activity: "AssignTask"}, {activity: "PrepareWorkspace", git: 1}, {activity: "RunSetup"}, {activity: "RunChecks"},
	{activity: "RunAgent", rule: "plan"},
	{activity: "RunAgent", rule: "fix"}, {activity: "CommitWork", git: 2}, {activity: "RunChecks"},
	{activity: "RunAgent", rule: "mul"}, {activity: "CommitWork", git: 3}, {activity: "RunChecks"},
	{activity: "RunAgent", rule: "review"}, {activity: "RunAgent", rule: "plan-again"}, {activity: "RunSetup"},
	{activity: "RunAgent", rule: "doc"}, {activity: "CommitWork", git: 4}, {activity: "RunChecks"},
	{activity: "RunAgent", rule: "approve"},
	{activity: "PushBranch", git: 5}, {activity: "OpenPullRequest", opens: true}, {activity: "CleanUp", git: 6},
}

// points are every stage boundary and the middle of every session of the story, in its order.
func points() []point {
	var all []point
	turns, nth := map[string]int{}, map[string]int{}
	for _, r := range lab.Script().Rules {
		turns[r.Name] = len(r.Turns)
	}
	for at, s := range story {
		for turn := range turns[s.rule] {
			all = append(all, point{name: fmt.Sprintf("session %s turn %d", s.rule, turn), rule: s.rule, turn: turn})
		}
		delete(turns, s.rule)
		next := ""
		for _, later := range slices.Backward(story[at+1:]) {
			next = cmp.Or(later.rule, next)
		}
		if s.git > 0 {
			all = append(all, point{name: fmt.Sprintf("push %d", s.git), git: s.git, next: next})
		}
		if s.opens {
			all = append(all, point{name: "before the pull request", hub: "before"}, point{name: "after the pull request", hub: "after"})
		}
		nth[s.activity]++
		n := nth[s.activity]
		all = append(all, point{name: fmt.Sprintf("after %s %d", s.activity, n), step: lab.Step{Activity: s.activity, N: n}, next: next})
	}
	if len(turns) > 0 {
		panic(fmt.Sprintf("the table of the story lacks sessions that the script has: %v", turns))
	}
	return all
}
