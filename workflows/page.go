package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostDetails keeps a page under 4 KB: Temporal Web carries it in a URL.
const mostDetails = 3500

// page writes what Temporal Web shows as a workflow's Current Details, in Markdown as it is drawn there: lists, because paragraphs are far
// apart, none within another, because these are drawn on one line, no table, because the page is narrow, no dollar sign, because it
// starts a formula, and commands as code, because quotes and dashes are made typographic elsewhere.
type page struct{ strings.Builder }

// title is the first line: a state in one word, and what more there is to say of it.
func (p *page) title(state, more string) {
	fmt.Fprintf(p, "**%s**", strings.ToUpper(state))
	if more != "" {
		fmt.Fprintf(p, ": %s", task.Literally(more))
	}
	p.WriteString("\n")
}

// heading begins another list.
func (p *page) heading(format string, args ...any) { fmt.Fprintf(p, "\n\n"+format+"\n", args...) }

// item is an item of the list.
func (p *page) item(format string, args ...any) { fmt.Fprintf(p, "\n- "+format, args...) }

// fact is an item with a name.
func (p *page) fact(name, format string, args ...any) {
	p.item("%s", strings.TrimRight("**"+name+":** "+fmt.Sprintf(format, args...), " "))
}

// below is another line of the last item, indented by a wide space. What ends the line before is apart from it: it may be a link.
func (p *page) below(format string, args ...any) { fmt.Fprintf(p, " \\\n  \u2003"+format, args...) }

// put shows the page, cut to what Temporal Web can show. It is no command: the history does not grow.
func (p *page) put(ctx workflow.Context) {
	workflow.SetCurrentDetails(ctx, excerpt.Clip(p.String(), mostDetails))
}

// code is text that is drawn as it is, on one line.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + excerpt.OneLine(text) + " " + fence
	}
	return fence + excerpt.OneLine(text) + fence
}

// minute is a time on a page.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// spell is a duration for people: "1h2m", to the second.
func spell(d time.Duration) string { return task.Duration(d.Round(time.Second)).String() }

// took is a duration that was measured: to the millisecond while it is short.
func took(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Millisecond).String()
	}
	return spell(d)
}

// textEnd and addressEnd escape the characters by which an id could end its own link, and begin another.
var textEnd, addressEnd = strings.NewReplacer("]", `\]`), strings.NewReplacer("(", "%28", ")", "%29")

// linked is a link from a page to that of another workflow. The address is relative, because workflows do not know where Temporal Web is.
func linked(namespace, id, run string) string {
	address := strings.TrimPrefix(signals.WebURL("/", namespace, id, run), "/")
	return "[" + textEnd.Replace(task.Literally(excerpt.Line(id, 120))) + "](" + addressEnd.Replace(address) + ")"
}
