package signals

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestReasons holds the list to the constants that there are.
func TestReasons(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var declared []Reason
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		declared = append(declared, Reason(text))
		return true
	})
	if got := Reasons(); len(got) == 0 || !slices.Equal(got, declared) {
		t.Errorf("Reasons gives %q, and declared are %q", got, declared)
	}
}

// TestKeepsAdmission: a task keeps its admission for what would stop the next one as well, and in a backlog for a question.
func TestKeepsAdmission(t *testing.T) {
	const always, inBacklog, never = "always", "in a backlog", "never"
	want := map[Reason]string{
		ReasonQuota: always, ReasonInfra: always, ReasonAccess: always,
		ReasonSpecIssue: inBacklog, ReasonQuestion: inBacklog,
		ReasonApproval: never, ReasonBudget: never, ReasonTime: never, ReasonErrors: never, ReasonChanged: never, ReasonCommand: never,
		ReasonLoop: never, ReasonSteps: never, ReasonSecret: never, ReasonBlocker: never, ReasonRounds: never, ReasonPush: never,
		ReasonReview: never, ReasonUnfit: never,
	}
	for _, why := range Reasons() {
		got := never
		switch {
		case KeepsAdmission(why, ""):
			got = always
		case KeepsAdmission(why, "backlog"):
			got = inBacklog
		}
		if got != want[why] {
			t.Errorf("%s: the admission is kept %s, want %q: decide it in KeepsAdmission, and here", why, got, want[why])
		}
	}
}
