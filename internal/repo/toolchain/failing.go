package toolchain

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/plaintext"
)

// mostFailing is how many failing tests are named at most. With more, a comparison by name is useless.
const mostFailing = 100

// Failing returns the sorted names of failing tests in the output of test runners. It returns none when no known runner names one, when
// more than 100 failed, or when a runner says that more tests failed than it has named, so that nobody takes some for all. A Go package that
// fails without a failing test (it does not build) counts as one test, and so does the early end of one (a panic, a timeout, an exit):
// tests of it have not run.
func Failing(output io.Reader) []string {
	r := reading{named: map[string]int{}, said: map[string]int{}, part: map[string]string{}}
	lines := bufio.NewReaderSize(output, 64<<10)
	for {
		raw, tooLong, err := lines.ReadLine()
		line := strings.TrimRight(plaintext.Of(string(raw)), "\n ")
		if !r.ofGo(line) && !tooLong {
			r.ofOthers(line)
		}
		for tooLong && err == nil { // skip the rest of a long line
			_, tooLong, err = lines.ReadLine()
		}
		if err != nil {
			break
		}
	}
	for runner, n := range r.said {
		if r.named[runner] < n {
			return nil
		}
	}
	if len(r.names) > mostFailing {
		return nil
	}
	slices.Sort(r.names)
	return r.names
}

// reading is what is known of an output up to a line.
type reading struct {
	names       []string
	named, said map[string]int    // by runner: how many failed tests it has named, and how many there are by its own count
	part        map[string]string // by runner: the part of the project of which it speaks

	indent    int      // of the last failure in TAP
	inPackage []string // failed tests of a Go package whose name follows
	orderly   bool     // the package has said that all of its tests have run
}

// add adds a failing test. Tests with one name count once: they can't be told apart.
func (r *reading) add(runner, name string) {
	if part := r.part[runner]; part != "" {
		name = part + ": " + name
	}
	if !slices.Contains(r.names, name) && len(r.names) <= mostFailing {
		r.names = append(r.names, name)
		r.named[runner]++
	}
}

// ofGo reads a line of go test. It reports false when it is none.
func (r *reading) ofGo(line string) bool {
	if m := goTest.FindStringSubmatch(line); m != nil {
		r.inPackage, r.orderly = append(r.inPackage, m[1]), false
		return true
	}
	if line == "FAIL" {
		r.orderly = true
		return true
	}
	m := goPackage.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	if len(r.inPackage) == 0 {
		r.add("", strings.TrimSpace(m[1]+" "+strings.Trim(m[2], "0123456789.s")))
	}
	for _, test := range r.inPackage {
		r.add("", m[1]+"."+test)
	}
	if len(r.inPackage) > 0 && !r.orderly {
		r.add("", m[1]+" (ended early)")
	}
	r.inPackage, r.orderly = nil, false
	return true
}

func (r *reading) ofOthers(line string) {
	for _, p := range parts() {
		if m := p.line.FindStringSubmatch(line); m != nil {
			r.part[p.runner] = strings.Join(strings.Fields(strings.Join(m[1:], " ")), " ")
		}
	}
	for _, f := range failures() {
		if m := f.line.FindStringSubmatch(line); m != nil {
			runner := f.runner
			if runner == "TAP" && r.encloses(line) {
				runner = ""
			}
			r.add(runner, strings.Join(m[1:], ""))
			break
		}
	}
	if m := jestMark.FindStringSubmatch(line); m != nil {
		r.ofJest(m[1])
	}
	if t := tallyOf(line); t != nil {
		r.said[t.runner] += sum(t.failed, line)
	}
}

// encloses tells whether a failure in TAP is that of the suite around the failure before it, which node names like a test, and does not count.
func (r *reading) encloses(line string) bool {
	before := r.indent
	r.indent = len(line) - len(strings.TrimLeft(line, " "))
	return r.indent < before
}

// ofJest adds what jest marks as failed in a file: a test, or the file, when it does not load, and nothing for a note.
func (r *reading) ofJest(name string) {
	switch file := r.part["jest"]; {
	case file == "", jestNote.MatchString(strings.TrimSpace(name)):
	case name == "Test suite failed to run":
		r.add("", file+" (failed to run)") // it counts such files apart
	default:
		r.add("jest", name)
	}
}
