package slack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// types lists the types of a message's blocks.
func types(blocks []slackgo.Block) string {
	var all []string
	for _, b := range blocks {
		all = append(all, string(b.BlockType()))
	}
	return strings.Join(all, " ")
}

func TestPlanAsBlocks(t *testing.T) {
	m := channel.Message{Key: "plan", Text: "# Plan, revision 2\n\nfix the *login* · acme/web\n\n## Deliverables\n\n" +
		"- [ ] FIX-001: read `Cookie`\n  - no error\n  - see https://example.com/a?b=1&c=<2>\n- [x] FIX-002: write @here\n\n1. one\n2. two\n\nDecide:",
		Foot: "$0.25 of $20.00", Until: time.Unix(1_760_000_000, 0), Then: "Approved automatically",
		Buttons: []channel.Button{{Label: "Approve", Token: "t.a"}}}
	all, err := build(m, messages, time.Unix(1_759_999_000, 0))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
	blocks := all[0].blocks
	if got, want := types(blocks), "header section rich_text section context actions"; got != want {
		t.Fatalf("blocks %s, want %s", got, want)
	}
	if got := blocks[0].(*slackgo.HeaderBlock).Text.Text; got != "Plan, revision 2" {
		t.Errorf("header %q", got)
	}
	holds(t, all[0].notice, "Plan, revision 2\nfix the login · acme/web")
	var lists []string
	for _, e := range blocks[2].(*slackgo.RichTextBlock).Elements {
		l := e.(*slackgo.RichTextList)
		lists = append(lists, fmt.Sprintf("%s/%d/%d/%d", l.Style, l.Indent, l.Offset, len(l.Elements)))
	}
	if got, want := strings.Join(lists, " "), "bullet/0/0/1 bullet/1/0/2 bullet/0/0/1 ordered/0/0/2"; got != want {
		t.Errorf("lists %s, want %s", got, want)
	}
	small := blocks[4].(*slackgo.ContextBlock).ContextElements.Elements
	if len(small) != 2 || small[0].(*slackgo.TextBlockObject).Text != "$0.25 of $20.00" {
		t.Errorf("small print %+v", small)
	}
}

// An ordered list that is interrupted, or begins later, keeps its numbers.
func TestOrderedLists(t *testing.T) {
	l := lists(channel.Read("3. three\n4. four\n   - inner\n5. five")).(*slackgo.RichTextBlock)
	var got []string
	for _, e := range l.Elements {
		one := e.(*slackgo.RichTextList)
		got = append(got, fmt.Sprintf("%s+%d", one.Style, one.Offset))
	}
	if strings.Join(got, " ") != "ordered+2 bullet+0 ordered+4" {
		t.Errorf("lists %q", got)
	}
}

// TestHostilePlans posts texts that would go beyond a limit of Slack. The fake refuses them as Slack does.
func TestHostilePlans(t *testing.T) {
	big := task.Plan{Revision: 3, Summary: "Much.", Approach: strings.Repeat("a\n\n- b\n\n", 400)}
	for i := range task.MaxDeliverables {
		big.Deliverables = append(big.Deliverables, task.Deliverable{ID: fmt.Sprintf("FIX-%03d", i), Description: strings.Repeat("word 😀 ", 100),
			Acceptance: []string{strings.Repeat("x", 400), "- - - -", strings.Repeat("<!channel> ", 30)}})
	}
	for name, text := range map[string]string{
		"a plan of the largest size": big.Markdown(),
		"a long title":               "# " + strings.Repeat("😀 title ", 60) + "\n\ntext",
		"only a title":               "# Title",
		"lists and texts in turn":    strings.Repeat("a\n\n- b\n\n", 2000),
		"deep lists":                 "- 1\n  - 2\n    - 3\n      - 4\n        - 5\n          - 6\n            - 7\n              - 8\n                - 9",
		"items without text":         "- \n- x\n- [ ] \n\n<!-- -->\n\n1.\n",
		"one endless item":           "- " + strings.Repeat("word ", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			m := channel.Message{Key: "k", Text: text, Foot: strings.Repeat("[Temporal Web](https://example.com/"+strings.Repeat("x", 90)+") ", 40),
				Until: time.Now().Add(time.Hour), Buttons: []channel.Button{{Label: "Approve", Token: "t.a"}}}
			at := mustPost(t, f.open(nil), room(general, ""), m, false)
			if err := f.open(nil).Edit(t.Context(), at, m); err != nil {
				t.Error(err)
			}
		})
	}
}
