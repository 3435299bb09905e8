package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	searchLine   = 400      // bytes of a line that are shown
	searchWithin = 16 << 10 // bytes of a line that are looked through
	searchAround = 5        // most lines of context
	searchAll    = 1 << 30  // bytes of files that a call reads
)

var search = entry{
	name: "search", class: Reads, path: pathOrRoot, read: (*Workspace).search,
	text: "Search the lines of text files for a regular expression (RE2: no look-around, no back-references). Leaves out .git, binary files, " +
		"files over 2 MiB and what .gitignore files ignore. At most 100 matches.",
	schema: `{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"Regular expression, matched line by line."},` +
		`"path":{"type":"string","description":"File or folder, relative to the workspace; the workspace itself if left out."},` +
		`"glob":{"type":"string","description":"Only files whose path below path matches, such as *.go or src/**/*.ts."},` +
		`"context":{"type":"integer","minimum":0,"maximum":5,"description":"Lines to show before and after a match; 0 if left out."},` +
		`"ignore_case":{"type":"boolean","description":"Upper and lower case are the same."}},` +
		`"required":["pattern"],"additionalProperties":false}`,
	example: `{"pattern": "func Test\\w+", "glob": "*_test.go"}`,
	params: []param{{"pattern", stringArg, true}, {"path", stringArg, false}, {"glob", stringArg, false}, {"context", numberArg, false},
		{"ignore_case", flagArg, false}},
}

type matches struct {
	Matches   []match `json:"matches"`
	Truncated bool    `json:"truncated"`
}

type match struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// query is a search under way.
type query struct {
	ctx     context.Context
	pattern *regexp.Regexp
	around  int
	limits  Limits
	bytes   int // of the answer
	read    int // of files
	answer  matches
}

func (w *Workspace) search(ctx context.Context, a arguments) (any, string, error) {
	q := query{ctx: ctx, around: a.numbers["context"], limits: w.limits(), answer: matches{Matches: []match{}}}
	if q.around < 0 || q.around > searchAround {
		return nil, "", fmt.Errorf("context is %d; give 0 to %d", q.around, searchAround)
	}
	var err error
	if q.pattern, err = compile(a.texts["pattern"], a.flags["ignore_case"]); err != nil {
		return nil, "", err
	}
	var g glob
	if s := a.texts["glob"]; s != "" {
		if g, err = parseGlob(s); err != nil {
			return nil, "", err
		}
	}
	p, err := w.readable(pathOrRoot(a))
	if err != nil {
		return nil, "", err
	}
	truncated, err := w.files(ctx, p, g, q.file)
	if err == nil && ctx.Err() != nil {
		err = errStopped
	}
	q.answer.Truncated = q.answer.Truncated || truncated
	return q.answer, fmt.Sprintf("%s: %d matches", a.texts["pattern"], len(q.answer.Matches)), err
}

// file is false when the search is at its end.
func (q *query) file(e found) bool {
	content, err := e.content(q.limits.SearchBytes)
	if q.read += len(content); q.read > searchAll {
		q.answer.Truncated = true
		return false
	}
	if err != nil || isBinary(content) {
		return true
	}
	s := strings.TrimSuffix(string(content), "\n")
	lines := strings.Split(s, "\n")
	if s == "" {
		return true
	}
	for i, line := range lines {
		if q.ctx.Err() != nil {
			return false
		}
		line = strings.TrimSuffix(line, "\r")
		at := q.pattern.FindStringIndex(excerpt.Cut(line, searchWithin))
		if at != nil && !q.add(e.path, lines, i, at[0]) {
			return false
		}
	}
	return true
}

func (q *query) add(path string, lines []string, i, at int) bool {
	m := match{Path: path, Line: i + 1, Text: around(lines[i], at)}
	for _, line := range lines[max(0, i-q.around):i] {
		m.Before = append(m.Before, around(line, 0))
	}
	for _, line := range lines[i+1 : min(len(lines), i+1+q.around)] {
		m.After = append(m.After, around(line, 0))
	}
	size := len(path) + len(m.Text) + len(strings.Join(m.Before, "\n")) + len(strings.Join(m.After, "\n"))
	if len(q.answer.Matches) == q.limits.Matches || q.bytes+size > q.limits.MatchBytes && q.bytes > 0 {
		q.answer.Truncated = true
		return false
	}
	q.bytes += size
	q.answer.Matches = append(q.answer.Matches, m)
	return true
}

// around cuts a long line so that what was found in it, at a byte, is shown.
func around(line string, at int) string {
	line = strings.TrimSuffix(line, "\r")
	if len(line) <= searchLine {
		return strings.ToValidUTF8(line, "\ufffd")
	}
	before := ""
	if at > searchLine/2 {
		before = "…"
		line = line[min(at-searchLine/4, len(line)-searchLine/2):]
	}
	return before + strings.ToValidUTF8(excerpt.Clip(line, searchLine-len(before)), "")
}
