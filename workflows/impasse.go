package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
)

// mostUnchanged is how many rounds in a row may change nothing of what the reviewer asks to change before a person is asked.
const mostUnchanged = 2

// asksAtImpasse is the change since which a person is asked when planner and reviewer disagree. They went on for all rounds, and each cost money.
const asksAtImpasse = "asks-at-impasse"

// impasse counts rounds that change nothing between two reviews.
type impasse struct {
	head   string // that the last review has judged
	rounds int
}

// atImpasse asks a person when rounds have changed nothing although the review asks for changes. Work that could not be committed may be another
// each time.
func (t *pipeline) atImpasse(ctx workflow.Context) error {
	if t.status.Head != t.impasse.head || t.commits.last.failed != "" {
		t.impasse = impasse{head: t.status.Head}
		return nil
	}
	if t.impasse.rounds++; t.impasse.rounds < mostUnchanged || workflow.GetVersion(ctx, asksAtImpasse, workflow.DefaultVersion, 1) < 1 {
		return nil
	}
	t.impasse.rounds = 0
	return t.parking.suspend(ctx, signals.ReasonReview, "the reviewer asks for changes, and %d rounds in a row have changed nothing: %s",
		mostUnchanged, t.status.Review.Text)
}
