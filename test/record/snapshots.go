package main

import (
	"fmt"

	"github.com/longshift/longshift/internal/forge"
)

// How pull requests that are looked after stand.

// muchToDo is a pull request with a conflict, a failed check and a comment, until it has its answers.
func muchToDo(p *play, l *forge.Snapshot) {
	if p.counted("AnswerPullRequest") > 0 {
		l.Passed = 1
		return
	}
	no := false
	l.Mergeable = &no
	l.Items = []forge.Item{failedCheck("nil pointer"), {Key: "thread:11", Kind: forge.ThreadItem, By: "maria", Path: "calc.go", Line: 3,
		Text: "maria: call it Sum", Hunk: "@@ -1,3 +1,3 @@\n-func Add(\n+func Plus(", URL: pullURL + "#discussion_r11", Last: 11}}
}

func failedCheck(sign string) forge.Item {
	return forge.Item{Key: "check:test", Kind: forge.CheckItem, Text: "1 failure", Log: failing, Sign: sign, URL: pullURL + "/checks"}
}

// conflicting is a pull request with a conflict and nothing else to do.
func conflicting(_ *play, l *forge.Snapshot) {
	no := false
	l.Mergeable = &no
}

// conflictingAnew is a pull request whose base moves while its first conflict is resolved.
func conflictingAnew(p *play, l *forge.Snapshot) {
	no := false
	switch {
	case p.counted("pushed") > 1:
		return
	case p.counted("MergeBase") > 0:
		l.BaseHead = commitID("moved")
	default:
		l.BaseHead = commitID("older")
	}
	l.Mergeable = &no
}

// failsBesideWords is a check that no round mends. A person says something after the first one.
func failsBesideWords(p *play, l *forge.Snapshot) {
	if p.counted("AnswerPullRequest") > 1 { // the first one is about the check
		l.Passed = 1
		return
	}
	l.Items = []forge.Item{failedCheck("nil pointer")}
	if p.counted("pushed") > 0 {
		l.Items = append(l.Items, forge.Item{Key: "comment:12", Kind: forge.CommentItem, By: "maria", Text: "/longshift call it Sum", Last: 12})
	}
}

// failsBesideRunning is a check that no round mends. Another one runs after the first round.
func failsBesideRunning(p *play, l *forge.Snapshot) {
	l.Items = []forge.Item{failedCheck("nil pointer")}
	if p.counted("CommitWork") > 0 {
		l.Pending = 1
	}
}

// failsThenConflicts is a check that a round does not mend, and a base that conflicts after that.
func failsThenConflicts(p *play, l *forge.Snapshot) {
	switch no := false; p.counted("pushed") {
	case 0:
	case 1:
		l.Mergeable, l.BaseHead = &no, commitID("moved")
	default:
		l.Passed = 1
		return
	}
	l.Items = []forge.Item{failedCheck("nil pointer")}
}

// failsUntil is a check that fails in the same way until so many pushes.
func failsUntil(pushes int) func(*play, *forge.Snapshot) {
	return func(p *play, l *forge.Snapshot) {
		if p.counted("pushed") < pushes {
			l.Items = []forge.Item{failedCheck("nil pointer")}
			return
		}
		l.Passed = 1
	}
}

// failsOtherwiseUntil is a check that fails in another way after each push.
func failsOtherwiseUntil(pushes int) func(*play, *forge.Snapshot) {
	return func(p *play, l *forge.Snapshot) {
		if n := p.counted("pushed"); n < pushes {
			l.Items = []forge.Item{failedCheck(fmt.Sprintf("TestAdd %d", n))}
			return
		}
		l.Passed = 1
	}
}

// failsAnew is a check that a push mends, and that then fails in the same way again.
func failsAnew(p *play, l *forge.Snapshot) {
	if pushes := p.counted("pushed"); pushes == 0 || pushes == 1 && p.count("green") > 2 {
		l.Items = []forge.Item{failedCheck("nil pointer")}
		return
	}
	l.Passed, l.PassedKeys = 1, []string{"check:test"}
}

// mergedMeanwhile is a pull request that is merged while a session works on its failed check.
func mergedMeanwhile(p *play, l *forge.Snapshot) {
	l.Items = []forge.Item{failedCheck("nil pointer")}
	if p.counted("CommitWork") > 0 {
		p.count("merged")
	}
}

// pushedByOthers is a pull request to whose branch somebody else has pushed.
func pushedByOthers(_ *play, l *forge.Snapshot) { l.Head, l.Passed = commitID("theirs"), 1 }

// movedElsewhere is a pull request that goes into another base once a round has merged the first one.
func movedElsewhere(p *play, l *forge.Snapshot) {
	if p.counted("MergeBase") > 0 {
		l.Base = "release"
	}
	if p.counted("pushed") == 0 {
		no := false
		l.Mergeable = &no
	}
}

// failsAsTheBaseMoves is a failed check of a pull request whose base moves all the time.
func failsAsTheBaseMoves(p *play, l *forge.Snapshot) {
	l.BaseHead = commitID(fmt.Sprint("base ", p.counted("PollPullRequest")))
	l.Items = []forge.Item{failedCheck("nil pointer")}
}
