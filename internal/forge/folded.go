package forge

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// folded is what a reader may want to know later: what was asked for, what was planned, and what an approving reviewer says.
func (s Summary) folded(l limits) string {
	var parts []string
	add := func(heading, text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, "### "+heading+"\n\n"+text)
		}
	}
	add("Task", s.task(l))
	add("Plan", prose(s.Overview, l.text))
	add("Deliverables", strings.Join(s.deliverables(l), "\n"))
	add("Decisions and notes", strings.Join(s.decisions(l), "\n"))
	if r := s.Review; r != nil && r.Approved {
		add("Review", s.review(l))
	}
	if len(parts) == 0 {
		return ""
	}
	return "<details><summary>" + s.foldedTitle() + "</summary>\n\n" + strings.Join(parts, "\n\n") + "\n\n</details>"
}

// task is what was asked for, with the names of the images that belong to it.
func (s Summary) task(l limits) string {
	text := prose(s.Task, l.text/2)
	if len(s.Images) > 0 {
		text += "\n\n**Images:** " + phrase(task.ImageList(s.Images), l.line)
	}
	return text
}

func (s Summary) foldedTitle() string {
	parts := []string{"The task"}
	if len(s.Deliverables) > 0 {
		parts = append(parts, "its plan")
	}
	if n := len(s.Notes); n > 0 {
		parts = append(parts, excerpt.Count(n, "note"))
	}
	if s.Review != nil && s.Review.Approved {
		parts = append(parts, "the review")
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
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
	if d.Proved != nil {
		text += ", shown by " + span(d.Proof, l.line) + ", which " + phrase(d.Proved.String(), l.line)
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

// decisions are what agents have noted: what they decided, and what they saw and left alone.
func (s Summary) decisions(l limits) []string {
	var rows []string
	for i, n := range s.Notes {
		if i == l.rows {
			return append(rows, more(len(s.Notes)-i))
		}
		if text := phrase(n, l.line); text != "" {
			rows = append(rows, "- "+text)
		}
	}
	return rows
}

func more(n int) string { return fmt.Sprintf("- and %d more", n) }
