package cli

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
)

// What is shown of long texts without --all.
const (
	promptLines = 12
	resultLines = 6
	lineBytes   = 160 // where no terminal says how long a line may be
)

// replayText writes a conversation for people.
type replayText struct {
	printer *term.Printer
	clean   func(string) string
	all     bool
	cut     bool // something was left out
	b       strings.Builder
}

func (t *replayText) of(r *replay) string {
	t.style(term.Strong, strings.TrimSpace(fmt.Sprintf("Session %d of %s: %s %s", r.Session, r.Task, r.Role, term.OneLine(r.Deliverable))))
	images, indent := "", len("  tools  ")
	if r.Images > 0 {
		images, indent = fmt.Sprint(r.Images), len("  images  ")
	}
	facts := term.Facts("", "state", r.State, "model", r.Model, "began", r.Began.Local().Format("2006-01-02 15:04:05"), "images", images,
		"tools", strings.Join(r.Tools, ", "))
	for line := range strings.Lines(facts) {
		t.b.WriteString(t.printer.Wrap(strings.TrimSuffix(line, "\n"), indent) + "\n")
	}
	if t.all {
		t.passage("System", r.System)
	}
	t.passage("Prompt", r.Prompt)
	calls, cost := 0, 0.0
	for _, one := range r.Rounds {
		t.round(one, r.State == "running")
		calls += len(one.Calls)
		cost += one.CostUSD
	}
	fmt.Fprintf(&t.b, "\n%s, %s, %s\n", term.Count(len(r.Rounds), "round"), term.Count(calls, "call"), term.USD(cost))
	return t.b.String()
}

func (t *replayText) round(r round, running bool) {
	head := fmt.Sprintf("Round %d, %s", r.N, r.Time.Local().Format("15:04:05"))
	if r.Total.CostUSD > 0 {
		head += fmt.Sprintf(", %s so far", term.USD(r.Total.CostUSD))
	}
	t.b.WriteString("\n")
	t.style(term.Strong, head)
	if r.Summary != "" {
		t.lines(term.Faint, "  summary: ", "  ", t.linesOf(r.Summary), resultLines)
	}
	for _, said := range r.Said {
		t.prose(term.Doubtful, "told: "+said)
	}
	t.prose("", r.Text)
	for _, c := range r.Calls {
		t.call(c, running)
	}
	switch {
	case r.Refused:
		t.style(term.Bad, "  ! the model declines to go on")
	case r.Cut:
		t.style(term.Bad, "  ! the answer has reached the limit of its length")
	}
	t.prose(term.Faint, r.Note)
}

func (t *replayText) call(c roundCall, running bool) {
	t.line("", "  > "+tools.Line(c.Tool, c.Arguments))
	if t.all {
		t.lines(term.Faint, "    ", "    ", t.linesOf(string(c.Arguments)), 0)
	}
	switch {
	case c.Result == nil && running:
		t.style(term.Faint, "  < no result yet")
		return
	case c.Result == nil:
		t.style(term.Faint, "  < no result")
		return
	}
	style, mark, result := term.Faint, "  < ", t.linesOf(*c.Result)
	if c.Failed {
		style, mark = term.Bad, "  <! "
	}
	if len(result) == 0 {
		result = []string{"done"}
	}
	t.lines(style, mark, "    ", result, resultLines)
}

// passage is a text with a title.
func (t *replayText) passage(title, text string) {
	t.b.WriteString("\n")
	t.style(term.Strong, title)
	t.lines("", "  ", "  ", strings.Split(strings.TrimSpace(text), "\n"), promptLines)
}

// lines writes lines of a long text: the first ones, unless all are wanted or most is 0.
func (t *replayText) lines(style term.Style, first, next string, lines []string, most int) {
	left := 0
	if !t.all && most > 0 && len(lines) > most {
		lines, left = lines[:most], len(lines)-most
	}
	for _, l := range lines {
		t.line(style, first+l)
		first = next
	}
	if left > 0 {
		t.cut = true
		t.style(style, next+"… "+term.Count(left, "more line"))
	}
}

// line writes a line, cut to what can be seen unless all is wanted.
func (t *replayText) line(style term.Style, line string) {
	line = strings.ReplaceAll(line, "\t", "    ")
	shown := line
	switch {
	case t.all:
	case t.printer.Columns() > 0:
		shown = strings.TrimSuffix(t.printer.Fit(line+"\n"), "\n")
	default:
		shown = excerpt.Clip(line, lineBytes)
	}
	t.cut = t.cut || shown != line
	t.style(style, shown)
}

// prose writes all of a text, broken at spaces to the terminal.
func (t *replayText) prose(style term.Style, text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		for part := range strings.SplitSeq(t.printer.Wrap("  "+line, 2), "\n") {
			t.style(style, part)
		}
	}
}

func (t *replayText) style(style term.Style, line string) {
	t.b.WriteString(t.printer.Paint(style, strings.TrimRight(line, " ")) + "\n")
}
