package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// reply answers each item at the pull request. A check that has failed in the same way before has an answer of each round.
func (f *follower) reply(ctx workflow.Context, items []forge.Item) error {
	var replies []forge.Reply
	for n, i := range items {
		c, ok := f.deliverables.results[itemID(i, n)]
		if !ok { // left pending: it comes up again
			continue
		}
		key := fmt.Sprintf("%s/%s/%s", f.status.TaskID, i.Key, answers(i))
		if i.Kind == forge.CheckItem {
			key += fmt.Sprint("/", f.status.Plan.Revision) // each round has one of its own
		} else {
			f.worklist.done[i.Key] = answers(i)
		}
		text := answer(c)
		if c.commit != "" && !f.checks.sound() {
			text += "\n\nNot settled: " + f.checks.red() + "."
		}
		if c.commit != "" && len(f.commits.last.findings) > 0 {
			text += "\n\nLook at these files of this round first:\n\n" + bullets(f.commits.last.findings)
		}
		replies = append(replies, forge.Reply{Item: forge.Item{Key: i.Key, Kind: i.Kind, By: i.By, Last: i.Last, URL: i.URL,
			Text: firstLine(i.Text)},
			Text: text, Key: key})
	}
	in := activities.AnswerInput{Repository: f.def.repo, Number: f.in.Number, Replies: replies}
	err := f.parking.insist(ctx, func() error {
		return workflow.ExecuteActivity(f.assignment.control(ctx, "answer at the pull request"), pulls.AnswerPullRequest, in).Get(ctx, nil)
	})
	if err != nil {
		return err
	}
	f.worklist.prune()
	f.journal.say(ctx, "answered", "%d answered", len(replies))
	f.journal.show(ctx, signals.Notice{})
	return nil
}

// answer is the text of a reply: what was done, and in which commit.
func answer(c result) string {
	subject, rest, _ := strings.Cut(strings.TrimSpace(c.text), "\n")
	switch {
	case !c.done:
		return "Not done: " + strings.TrimSpace(c.text)
	case c.commit == "":
		return strings.TrimSpace(c.text)
	}
	return strings.TrimSpace(fmt.Sprintf("Done in %s: %s\n\n%s", c.commit, subject, strings.TrimSpace(rest)))
}
