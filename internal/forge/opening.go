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

// mostSaid is how many deliverables the opening names.
const mostSaid = 3

// opening says what has changed, why, and how much, and what was not done. Each is one line of bounded length: no text of a model can push
// the files to look at out of sight.
func (s Summary) opening(l limits) []string {
	lines := []string{s.what(l), s.why(l), s.size()}
	if s.Issue != nil {
		lines = append(lines, issueLine(*s.Issue))
	}
	lines = append(lines, s.dropped(l)...)
	left := 0
	for _, d := range s.Deliverables {
		if d.Status != task.Blocked {
			continue
		}
		if left++; left <= min(l.rows, mostSaid) {
			lines = append(lines, "**Not done**: "+span(d.ID, 40)+" "+described(d, l))
		}
	}
	if rest := left - min(l.rows, mostSaid); rest > 0 {
		lines = append(lines, "**Not done**: "+excerpt.Count(rest, "more deliverable")+", named below")
	}
	return nonEmpty(lines)
}

// what is the plan's summary, or what is there now when the title says all of the summary.
func (s Summary) what(l limits) string {
	if s.recordsOnly() {
		return s.recordedNow()
	}
	title := excerpt.OneLine(s.Title)
	if utf8.RuneCountInString(title) > titleWidth {
		return "**What**: " + phrase(title, l.line)
	}
	var done []string
	for _, d := range s.Deliverables {
		if d.Status == task.Passed {
			done = append(done, phrase(d.Description, l.line/mostSaid))
		}
	}
	if len(done) == 0 {
		return ""
	}
	text := "**What**: " + strings.Join(done[:min(len(done), mostSaid)], "; ")
	if n := len(done) - mostSaid; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

// why is the issue or the task in one line, and who asked.
func (s Summary) why(l limits) string {
	cause, _, _ := strings.Cut(strings.TrimSpace(s.Task), "\n")
	if s.Issue != nil {
		cause = cmp.Or(s.Issue.Title, cause)
	}
	text := phrase(cause, l.line/2)
	if p := s.RequestedBy; p != nil && strings.TrimSpace(p.Name) != "" {
		by := "requested by " + phrase(p.Name, 80)
		if p.Via != "" {
			by += " (" + phrase(p.Via, 20) + ")"
		}
		text = strings.TrimPrefix(text+"; "+by, "; ")
	}
	if text == "" {
		return ""
	}
	return "**Why**: " + text
}

func (s Summary) size() string {
	if s.recordsOnly() {
		return ""
	}
	var parts []string
	if s.Files > 0 {
		parts = append(parts, fmt.Sprintf("%s, +%d −%d", excerpt.Count(s.Files, "file"), s.Added, s.Removed))
	}
	if n := s.Added + s.Removed - s.Routine; s.MaxLines > 0 && n > s.MaxLines {
		parts = append(parts, fmt.Sprintf("**%d lines to read, more than the %d** of `pullRequest.maxLines`", n, s.MaxLines))
	}
	if n := len(s.Deliverables); n > 0 {
		passed, _, _ := task.Plan{Deliverables: s.Deliverables}.Counts()
		parts = append(parts, fmt.Sprintf("%d of %s done", passed, excerpt.Count(n, "deliverable")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "**Size**: " + strings.Join(parts, "; ")
}

// issueLine is the only text that may close an issue: by number, and only one of this forge.
func issueLine(i task.Issue) string {
	if i.OfForge() {
		return fmt.Sprintf("Closes #%d", i.Number)
	}
	link := webLink(i.URL)
	if link == "" {
		return ""
	}
	return "Issue: [" + cmp.Or(phrase(i.Key, 40), "where it is kept") + "](<" + link + ">)"
}

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
