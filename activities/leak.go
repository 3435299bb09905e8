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

// Leak is a secret in what was going to be pushed. It says where, never what.
type Leak struct {
	Rule string // what was recognised, such as "held-value:base64"
	File string // in the repository, or the name of a text; free of secrets itself
	Line int    // of the new file or of the text, from 1; 0 for the file's name
}

// mostLeaks is how many are looked for: a person needs to see where to begin, not all of a dump.
const mostLeaks = 50

// scanLeaks looks for secrets in the lines that a diff adds, in the names of its files, and in texts by what they are called,
// such as "pull request title". Only what is sure counts: any form of a value that this process holds, and real tokens.
// The diff is what `git log --patch --text` or `git diff --text` gives; it is read once, in memory that does not grow with it, and may be nil.
// What git packs as binary can't be looked into: a diff without --text is a fault.Internal. Other errors are the reader's.
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

// leakFault says where the leaks are and what a person can do. It is nil without leaks.
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
	return fault.New(fault.Leak, "not pushed, for it holds a secret: %s", strings.Join(list, ", ")).
		WithHint("remove it from the commits of the branch, then resume the task, or abandon it; change the key if others may have seen it")
}

// leakScan joins what is added to one file and looks at it in pieces that overlap, so that a secret which was spread over
// lines is found in a file of any size.
type leakScan struct {
	redact *redact.Redactor
	found  []Leak

	file  string
	next  int // number of the line that comes next
	text  []byte
	lines []lineStart
}

// lineStart is where a line begins in the text at hand.
type lineStart struct{ at, line int }

// add takes a line or a piece of one.
func (s *leakScan) add(piece []byte) {
	if last := len(s.lines) - 1; last < 0 || s.lines[last].line != s.next {
		s.lines = append(s.lines, lineStart{len(s.text), s.next})
	}
	s.text = append(s.text, piece...)
	if reach := s.redact.Reach(); len(s.text) >= max(1<<20, 4*reach) {
		s.look(len(s.text) - reach)
	}
}

// end finishes a file.
func (s *leakScan) end() {
	s.look(len(s.text))
	s.lines = s.lines[:0]
}

// look reports what begins before cut, and forgets the text up to there. What begins later is seen again, and in full.
func (s *leakScan) look(cut int) {
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

// lineAt gives the index of the line that a byte of the text is in.
func (s *leakScan) lineAt(offset int) int {
	n, exact := slices.BinarySearchFunc(s.lines, offset, func(l lineStart, at int) int { return l.at - at })
	if !exact {
		n--
	}
	return n
}

// testData tells by its name whether a file belongs to tests. The private keys that public code holds stand there nearly all,
// made for nothing else, so they stop no push; keys that this process holds do, wherever they stand.
func testData(file string) bool {
	dirs := strings.FieldsFunc(strings.ToLower(file), func(c rune) bool { return strings.ContainsRune("/_.-", c) })
	return slices.ContainsFunc(dirs, func(part string) bool {
		return slices.Contains([]string{"test", "tests", "testdata", "testing", "fixture", "fixtures", "spec", "specs", "example", "examples"}, part)
	})
}

// name looks at the name of a file.
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
