package watch

import (
	"testing"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
)

// TestAsks: what holds up a backlog and nothing else is a question, and says that it waits for an answer.
func TestAsks(t *testing.T) {
	for _, why := range signals.Reasons() {
		question := signals.KeepsAdmission(why, string(intake.Backlog)) && !signals.KeepsAdmission(why, "")
		if asked := asks[why] != ""; asked != question {
			t.Errorf("%s: asks has words for it: %t, and it is a question: %t", why, asked, question)
		}
	}
}
