package forge

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// titleWidth is how much of a title lists of pull requests and commits show.
const titleWidth = 72

// Compose writes the title and the Markdown body of a pull request. The title keeps to one line of 72 characters, the body stays
// under MaxBody with room for the hidden mark. The same summary always gives the same text.
func Compose(s Summary) (title, body string) {
	const room = MaxBody - 2_000
	for scale := 1; ; scale *= 2 {
		body = s.body(limits{8_000 / scale, 600 / scale, max(1, 60/scale)})
		if len(body) <= room || scale > 256 {
			return s.title(), cutBytes(body, room)
		}
	}
}

// limits bound the untrusted parts of a body. They are halved until the body fits.
type limits struct {
	text int // bytes of a long text
	line int // characters of a line
	rows int // rows of a list
}

// title shortens before it neutralises, because half of a code span would not be one.
func (s Summary) title() string {
	text := "Changes by Longshift"
	for _, t := range []string{s.Title, s.Overview, s.Task} {
		t = strings.TrimLeft(strings.TrimSpace(plain(start(t, MaxTitle))), "#>*- \t")
		if first, _, _ := strings.Cut(t, "\n"); excerpt.OneLine(first) != "" {
			text = excerpt.OneLine(first)
			break
		}
	}
	for n := titleWidth; n > 1; n-- {
		if t := titleLine(cutRunes(text, n)); utf8.RuneCountInString(t) <= titleWidth {
			return t
		}
	}
	return "Changes by Longshift"
}

func (s Summary) body(l limits) string {
	var parts []string
	add := func(heading string, lines ...string) {
		text := strings.Join(lines, "\n")
		if strings.TrimSpace(text) == "" {
			return
		}
		if heading != "" {
			text = "### " + heading + "\n\n" + text
		}
		parts = append(parts, text)
	}
	add("", s.warning(l)...)
	add("", s.secondLook(l)...)
	add("", prose(s.Overview, l.text))
	add("To look at", s.notes(l)...)
	add("Checks", s.checks(l)...)
	if r := s.Review; r != nil && !r.Approved {
		add("Review", s.review(l))
	}
	add("", s.folded(l))
	add("", s.figures())
	add("", s.origin(l)...)
	if s.Followed {
		add("", "**To ask for changes**, review this pull request, or write a comment that begins with `/longshift`. Longshift works on it "+
			"until this is merged or closed.")
	}
	return strings.Join(parts, "\n\n")
}

// folded is what a reader may want to know later: what was asked for, what was planned, and what an approving reviewer says.
func (s Summary) folded(l limits) string {
	var parts []string
	add := func(heading, text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, "### "+heading+"\n\n"+text)
		}
	}
	add("Task", prose(s.Task, l.text/2))
	add("Deliverables", strings.Join(s.deliverables(l), "\n"))
	if r := s.Review; r != nil && r.Approved {
		add("Review", s.review(l))
	}
	if len(parts) == 0 {
		return ""
	}
	title := "The task"
	if n := len(s.Deliverables); n > 0 {
		passed, _, _ := task.Plan{Deliverables: s.Deliverables}.Counts()
		title += fmt.Sprintf(", its plan (%d of %d done)", passed, n)
	}
	if s.Review != nil && s.Review.Approved {
		title += " and its review"
	}
	return "<details><summary>" + title + "</summary>\n\n" + strings.Join(parts, "\n\n") + "\n\n</details>"
}

func (s Summary) deliverables(l limits) []string {
	var rows []string
	for i, d := range s.Deliverables {
		if i == l.rows {
			return append(rows, more(len(s.Deliverables)-i))
		}
		status := cmp.Or(d.Status, task.Pending)
		rows = append(rows, fmt.Sprintf("- %s **%s**: %s", span(d.ID, 40), phrase(string(status), 20), described(d, l)))
	}
	return rows
}

// described says what a deliverable is, and why it was not done.
func described(d task.Deliverable, l limits) string {
	text := phrase(d.Description, l.line)
	if d.Reason != "" {
		text += " (" + phrase(d.Reason, l.line) + ")"
	}
	return text
}

func (s Summary) review(l limits) string {
	if s.Review == nil {
		return ""
	}
	verdict := "The reviewer **asks for changes**."
	if s.Review.Approved {
		verdict = "The reviewer **approves**."
	}
	if text := prose(s.Review.Text, l.text); text != "" {
		verdict += "\n\n" + text
	}
	return verdict
}

// notes are what a reader should look at: deliverables that were not done, and the notes of agents.
func (s Summary) notes(l limits) []string {
	var all []string
	for _, d := range s.Deliverables {
		if d.Status == task.Blocked {
			all = append(all, span(d.ID, 40)+" was not done: "+described(d, l))
		}
	}
	for _, n := range s.Notes {
		if text := phrase(n, l.line); text != "" {
			all = append(all, text)
		}
	}
	var rows []string
	for i, text := range all {
		if i == l.rows {
			return append(rows, more(len(all)-i))
		}
		rows = append(rows, "- "+text)
	}
	return rows
}

func more(n int) string { return fmt.Sprintf("- and %d more", n) }

// webLink returns an address that can be put between < and >, or "".
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return ""
	}
	text := u.String()
	if strings.ContainsAny(text, "<>\\`\n\r\t ") {
		return ""
	}
	return text
}
