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
// The diff is the output of `git log --format="commit %H" --patch --text` or `git diff --text`, and may be nil. It is read once, in constant
// memory. A token that a commit adds in one place and removes in another counts only if the process holds it: it is in the history already.
// Packed binary content can't be searched: a diff without --text is a fault.Internal. Other errors come from the reader.
func scanLeaks(r *redact.Redactor, diff io.Reader, texts map[string]string) ([]Leak, error) {
	s := &leakScan{redact: r}
	s.added = leakText{redact: r, hit: s.addedSecret}
	s.removed = leakText{redact: r, hit: s.removedSecret}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s.file, s.next = name, 1
		for line := range strings.Lines(texts[name]) {
			s.added.add([]byte(line), s.next)
			s.next++
		}
		s.endFile()
	}
	s.endCommit()
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

// leakScan collects what is found in a diff, file by file and commit by commit.
type leakScan struct {
	redact *redact.Redactor
	found  []Leak

	file           string
	next           int // number of the next line
	added, removed leakText
	commit         commitLeaks
}

// endFile ends the lines of one file.
func (s *leakScan) endFile() {
	s.added.end()
	s.removed.end()
}

// endCommit reports what the commit adds.
func (s *leakScan) endCommit() {
	for _, l := range s.commit.leaks() {
		s.report(l)
	}
	s.commit = commitLeaks{}
}

func (s *leakScan) addedSecret(rule, secret string, line int) {
	if rule == redact.PrivateKey && testData(s.file) {
		return
	}
	if l := (Leak{Rule: rule, File: s.file, Line: line}); !s.commit.add(l, secret) {
		s.report(l)
	}
}

func (s *leakScan) removedSecret(_, secret string, _ int) { s.commit.remove(secret) }

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
