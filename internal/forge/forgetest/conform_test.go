package forgetest

import (
	"context"
	"testing"

	"github.com/longshift/longshift/internal/forge"
)

// TestConformOptional: a forge that has none of the interfaces that it need not have conforms all the same.
func TestConformOptional(t *testing.T) {
	plain := func(t *testing.T) Fixture {
		return Fixture{
			Forge: opensOnly{}, GitDir: NewRepository(t),
			Close: func(*testing.T, int) {}, Merge: func(*testing.T, int) {}, Pulls: func(*testing.T) []PullState { return nil },
			OpenForeign: func(*testing.T, string, string, string) int { return 1 },
		}
	}
	for name, run := range map[string]func(*testing.T, Fixture){
		"state": testState, "state missing": testStateMissing, "state merged": testStateMerged, "close": testClose, "close merged": testCloseMerged,
		"close another's": testCloseForeign, "close missing": testCloseMissing, "diff": testDiff, "diff missing": testDiffMissing,
		"comment": testCommentAgain, "react": testReactAgain, "answer": testAnswerAgain,
	} {
		t.Run(name, func(t *testing.T) {
			run(t, plain(t))
			t.Error("the case has run to its end")
		})
	}
}

// opensOnly is a forge that can only open pull requests.
type opensOnly struct{}

func (opensOnly) EnsurePullRequest(context.Context, forge.Request) (forge.PullRequest, error) {
	return forge.PullRequest{Number: 1}, nil
}
