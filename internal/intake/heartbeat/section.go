package heartbeat

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

const (
	opens  = "<!-- longshift:heartbeat -->"
	closes = "<!-- /longshift:heartbeat -->"

	maxLines = 10  // lines of the section
	maxText  = 300 // bytes of text per line
)

// page is the file's content in parts: what people have written before and after our section, and the section's lines. The section
// contains only our own lines.
type page struct {
	before, after []byte
	lines         []string // without line ends, oldest first
	has           bool     // the file has a section
}

// ours matches a line of the section: time, outcome, text, and a comment that names the task.
var ours = regexp.MustCompile(`^- \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, [a-z_]+: .*<!-- ([0-9a-f]{12}) -->$`)

// split finds the section: the last pair of markers with only our lines and blank ones between them. Anything else was written by a
// person and is left alone.
func split(content []byte) page {
	lines := bytes.SplitAfter(content, []byte("\n"))
	end := -1
	for i, raw := range slices.Backward(lines) {
		switch line := strings.TrimSpace(string(raw)); {
		case line == closes:
			end = i
		case end >= 0 && line == opens:
			return cut(lines, i, end)
		case end >= 0 && line != "" && !ours.MatchString(line):
			end = -1
		}
	}
	return page{before: content}
}

func cut(lines [][]byte, begin, end int) page {
	p := page{before: bytes.Join(lines[:begin], nil), after: bytes.Join(lines[end+1:], nil), has: true}
	for _, raw := range lines[begin+1 : end] {
		if line := strings.TrimSpace(string(raw)); line != "" {
			p.lines = append(p.lines, line)
		}
	}
	return p
}

// person returns everything that people have written.
func (p page) person() []byte { return slices.Concat(p.before, p.after) }

// sum is the checksum of what people have written. Trailing blank space does not count, because a first section adds some.
func (p page) sum() string { return workfile.Sum(bytes.TrimRight(p.person(), " \t\r\n")) }

// join reassembles the content. It preserves every byte that people have written, and adds line ends before a first section.
func (p page) join() []byte {
	if !p.has && len(p.lines) == 0 {
		return p.before
	}
	eol := lineEnd(p.person())
	out := bytes.NewBuffer(slices.Clone(p.before))
	if !p.has {
		if len(p.before) > 0 && !bytes.HasSuffix(p.before, []byte("\n")) {
			out.WriteString(eol)
		}
		out.WriteString(eol)
	}
	for _, line := range slices.Concat([]string{opens}, p.lines, []string{closes}) {
		out.WriteString(line + eol)
	}
	out.Write(p.after)
	return out.Bytes()
}

// lineEnd returns the line end that the text uses most.
func lineEnd(text []byte) string {
	if crlf := bytes.Count(text, []byte("\r\n")); crlf*2 > bytes.Count(text, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// add adds a task's line once and keeps the newest lines. A line that differs only in its time stays as it is.
func (p page) add(n intake.Note, now time.Time) page {
	id := workfile.Sum([]byte(n.TaskID))[:12]
	line := outcome(n) + ": " + oneLine(n.Text) + " <!-- " + id + " -->"
	stamp := now.UTC().Format("- 2006-01-02 15:04:05 UTC, ")
	p.lines = slices.Clone(p.lines)
	for i, l := range p.lines {
		if m := ours.FindStringSubmatch(l); m != nil && m[1] == id {
			p.lines[i] = l[:len(stamp)] + line
			return p
		}
	}
	p.lines = append(p.lines, stamp+line)
	p.lines = p.lines[max(0, len(p.lines)-maxLines):]
	return p
}

var notOutcome = regexp.MustCompile(`[^a-z_]+`)

func outcome(n intake.Note) string {
	if o := notOutcome.ReplaceAllString(string(n.Outcome), ""); o != "" {
		return o
	}
	return "ended"
}

// comment matches the start or end of an HTML comment. Without them a text can neither end the section nor hide what follows.
var comment = regexp.MustCompile(`<!-{0,2}|-{2,}!?>`)

// oneLine is the first line of a text that is not empty, without invisible characters.
func oneLine(text string) string {
	text = text[:min(len(text), 16*maxText)]
	for comment.MatchString(text) { // removing one match may join the parts of another
		text = comment.ReplaceAllString(text, "")
	}
	for line := range strings.Lines(text) {
		line = forge.CleanLine(line, maxText)
		for comment.MatchString(line) {
			line = strings.TrimSpace(comment.ReplaceAllString(line, ""))
		}
		if line != "" {
			return line
		}
	}
	return "no word was left"
}
