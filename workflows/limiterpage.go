package workflows

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/longshift/longshift/task"
)

// page is the limiter's page in Temporal Web: who works, who waits and for what.
func (g *limiter) page() *page {
	p := &page{}
	at := len(g.Holders) + g.Others
	if at+len(g.Waiters)+len(g.Pulls) == 0 && g.Spent == 0 {
		p.title("idle", "nobody works, and nobody waits")
		return p
	}
	p.title(fmt.Sprintf("%d at work, %d waiting", at, len(g.Waiters)), "")
	if len(g.Waiters) > 0 {
		p.fact("Next human action", "none; `resume` on the page of a waiting task starts it before tasks that arrived automatically")
	}
	if g.Failures > 0 {
		p.fact("Errors", "%d in a row have stopped with errors; after %d no task of an intake starts until one ends well",
			g.Failures, mostFailures)
	}
	if g.Spent > 0 {
		p.fact("Spent on "+g.Day, "%.2f USD, UTC day", g.Spent)
	}
	if at > 0 {
		p.heading("**At work**")
	}
	for _, h := range g.Holders {
		p.item("%s since %s", linked(g.home, h.Workflow, ""), minute(h.Since))
	}
	if g.Others > 0 {
		p.item("without an admission: %d", g.Others)
	}
	if len(g.Waiters) > 0 {
		p.heading("**Waiting**, in their order")
	}
	for i, w := range g.Waiters {
		p.item("%d: %s since %s, for %s: %s", i+1, linked(g.home, w.Workflow, ""), minute(w.Since),
			cmp.Or(strings.ReplaceAll(string(w.Answer.Wait), "_", " "), "an answer"), task.Literally(w.Answer.Detail))
	}
	if len(g.Pulls) > 0 {
		p.heading("**Open pull requests**")
	}
	for _, o := range g.Pulls {
		p.item("[%s](%s)", task.Literally(o.URL), o.URL)
	}
	return p
}
