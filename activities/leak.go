package activities

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
)

// Leak is a secret in what was about to be pushed. It names the place and never the secret.
type Leak struct {
	Rule string // the rule that recognised it, such as "held-value:base64"
	File string // in the repository, or the name of a text; without secrets itself
	Line int    // of the new file or of the text, from 1; 0 for the file's name
}

// mostLeaks bounds the reported leaks: a person needs to see where to begin, not all of a dump.
const mostLeaks = 50

// scanLeaks looks for secrets in the lines that a diff adds, in the names of its files, and in texts, which are keyed by a name such as
// "pull request title". Only certain findings count: any form of a value that this process holds, and real tokens.
// The diff is the output of `git log --patch --text` or `git diff --text`, and may be nil. It is read once, in constant memory.
// Packed binary content can't be searched: a diff without --text is a fault.Internal. Other errors come from the reader.
func scanLeaks(r *redact.Redactor, diff io.Reader, texts map[string]string) ([]Leak, error) {
	s := &leakScan{redact: r}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s.file, s.next = name, 1
		for line := range strings.Lines(texts[name]) {
			s.add([]byte(line))
			s.next++
		}
		s.end()
	}
	if diff == nil {
		return s.found, nil
	}
	p := patch{scan: s}
	if err := p.read(bufio.NewReaderSize(diff, 64<<10)); err != nil {
		return nil, fmt.Errorf("look for secrets in the diff: %w", err)
	}
	return s.found, nil
}

// leakFault returns a fault that names the places of the leaks and what a person can do; nil without leaks.
func leakFault(leaks []Leak) error {
	if len(leaks) == 0 {
		return nil
	}
	const most = 5
	var list []string
	for _, l := range leaks[:min(len(leaks), most)] {
		where := fmt.Sprintf("%s line %d", l.File, l.Line)
		if l.Line == 0 {
			where = "the name of " + l.File
		}
		list = append(list, fmt.Sprintf("%s (%s)", where, l.Rule))
	}
	if more := len(leaks) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.Leak, "not pushed, because it holds a secret: %s", strings.Join(list, ", ")).
		WithHint("remove it from the commits of the branch, then resume the task, or abandon it; change the key if others may have seen it")
}

// leakScan joins the lines that are added to one file and searches the text in overlapping pieces. So it finds a secret that is spread over
// several lines, in a file of any size.
type leakScan struct {
	redact *redact.Redactor
	found  []Leak

	file  string
	next  int // number of the next line
	text  []byte
	lines []lineStart
}

// lineStart is the offset of a line in the current text.
type lineStart struct{ at, line int }

func (s *leakScan) add(piece []byte) {
	if last := len(s.lines) - 1; last < 0 || s.lines[last].line != s.next {
		s.lines = append(s.lines, lineStart{len(s.text), s.next})
	}
	s.text = append(s.text, piece...)
	if reach := s.redact.Reach(); len(s.text) >= max(1<<20, 4*reach) {
		s.search(len(s.text) - reach)
	}
}

func (s *leakScan) end() {
	s.search(len(s.text))
	s.lines = s.lines[:0]
}

// search reports secrets that begin before cut, and drops the text up to there. Later ones are found by the next call, in full.
func (s *leakScan) search(cut int) {
	for _, f := range s.redact.Find(string(s.text)) {
		if f.Sure && f.Offset < cut && !(f.Rule == redact.PrivateKey && testData(s.file)) {
			s.report(Leak{Rule: f.Rule, File: s.file, Line: s.lines[s.lineAt(f.Offset)].line})
		}
	}
	if cut > 0 {
		s.lines = append(s.lines[:0], s.lines[s.lineAt(cut):]...)
	}
	for i := range s.lines {
		s.lines[i].at = max(0, s.lines[i].at-cut)
	}
	s.text = append(s.text[:0], s.text[cut:]...)
}

// lineAt returns the index of the line that holds the byte at offset.
func (s *leakScan) lineAt(offset int) int {
	n, exact := slices.BinarySearchFunc(s.lines, offset, func(l lineStart, at int) int { return l.at - at })
	if !exact {
		n--
	}
	return n
}

// testData tells by its name whether a file belongs to tests. Nearly all private keys in public code are in such files and were made for
// tests, so they stop no push. Keys that this process holds stop a push from any file.
func testData(file string) bool {
	dirs := strings.FieldsFunc(strings.ToLower(file), func(c rune) bool { return strings.ContainsRune("/_.-", c) })
	return slices.ContainsFunc(dirs, func(part string) bool {
		switch part {
		case "test", "tests", "testdata", "testing", "fixture", "fixtures", "spec", "specs", "example", "examples":
			return true
		}
		return false
	})
}

func (s *leakScan) name(file string) {
	for _, f := range s.redact.Find(file) {
		if f.Sure {
			s.report(Leak{Rule: f.Rule, File: file})
		}
	}
}

func (s *leakScan) report(l Leak) {
	l.File = s.redact.String(l.File)
	if len(s.found) < mostLeaks && !slices.Contains(s.found, l) {
		s.found = append(s.found, l)
	}
}
