package toolchain

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/plaintext"
)

// mostFailing is how many failing tests are named at most. With more, a comparison by name is useless.
const mostFailing = 100

// failures match a failing test in a line of a test runner's output; each has one group. They are compiled when the first check fails.
var failures = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, expression := range []string{
		`^(?:FAILED|ERROR) (\S+::\S+)`,                                           // pytest's summary
		`^(?:FAIL|ERROR): ([\w.]+ \([\w.]+\))`,                                   // unittest, and its modules that can't be imported
		`^test (\S+) \.\.\. FAILED$`,                                             // cargo
		`^\s*not ok \d+ (?:- )?([^#]*[^#\s])\s*(?:#\s*(?:time=.*|duration.*))?$`, // TAP
		`^\s*✖ (.+?) \([\d.]+ms\)$`,                                              // node's own runner
		`^\s*● (.+ › .+)$`,                                                       // jest
		`^\s*(?:FAIL|×)\s+(\S+ > .+?)(?:\s+\d+ms)?$`,                             // vitest
		`^\s*FAIL\s+(\S+) \[ \S+ \]$`,                                            // vitest, of a file that does not load
		`^\[ERROR\]\s+([\w.$]+\.\w+)(?:\(.*\))?\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!`, // Maven
		`^(\S+ > .+) FAILED$`, // Gradle
		`^\d+\) (\S+::\S+)`,   // PHPUnit
		`^rspec (\./\S+) #`,   // RSpec
		`^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|ILLEGAL|NUMERICAL|OTHER_FAULT|BAD_COMMAND|Bad Command|Not Run|Subprocess .*|Exception.*|.*xpression.*)\)`, // CTest
	} {
		all = append(all, regexp.MustCompile(expression))
	}
	return all
})

var (
	goTest    = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	goPackage = regexp.MustCompile(`^FAIL\s+([\w./~-]+)(?:\s+(\[.*\]|[\d.]+s|\(cached\)))`)
)

// jestFile matches the line that begins what jest says of a file. Its second group is the file, if it has failed.
var jestFile = regexp.MustCompile(`^\s*(PASS\s|FAIL\s+(?:\S+\s+)?(\S+\.[cm]?[jt]sx?)\b)`)

// jestMark matches what jest marks as failed, outside of a group of tests.
var jestMark = regexp.MustCompile(`^\s*● ([^›]*[^›:])$`)

// jestNote matches what jest notes in the form of a failure.
var jestNote = regexp.MustCompile(`^(?:Console|.*Warning|Cannot log after tests are done\b.*|process\.exit called\b.*)$`)

// ofJest returns the name of what jest marks as failed in a file: the file, when it does not load, and nothing for a note.
func ofJest(name, file string) string {
	switch {
	case file == "", jestNote.MatchString(strings.TrimSpace(name)):
		return ""
	case name == "Test suite failed to run":
		return file + " (failed to run)"
	}
	return name
}

// Failing returns the sorted names of failing tests in the output of test runners. It returns none when no known runner names one, or
// when more than 100 failed. A Go package that fails without a failing test (it does not build) counts as one test, and so does the early end
// of one (a panic, a timeout, an exit): tests of it have not run.
func Failing(output io.Reader) []string {
	var names, inPackage []string
	orderly := false // the Go package has said that all of its tests have run
	file := ""       // of JavaScript, whose failures follow
	add := func(name string) {
		if !slices.Contains(names, name) && len(names) <= mostFailing {
			names = append(names, name)
		}
	}
	lines := bufio.NewReaderSize(output, 64<<10)
	for {
		raw, tooLong, err := lines.ReadLine()
		line := strings.TrimRight(plaintext.Of(string(raw)), "\n")
		if m := goTest.FindStringSubmatch(line); m != nil {
			inPackage, orderly = append(inPackage, m[1]), false
		} else if line == "FAIL" {
			orderly = true
		} else if m := goPackage.FindStringSubmatch(line); m != nil {
			if len(inPackage) == 0 {
				add(strings.TrimSpace(m[1] + " " + strings.Trim(m[2], "0123456789.s")))
			}
			for _, test := range inPackage {
				add(m[1] + "." + test)
			}
			if len(inPackage) > 0 && !orderly {
				add(m[1] + " (ended early)")
			}
			inPackage, orderly = nil, false
		} else if !tooLong {
			if m := jestFile.FindStringSubmatch(line); m != nil {
				file = m[2]
			}
			for _, expression := range failures() {
				if m := expression.FindStringSubmatch(line); m != nil {
					add(m[1])
					break
				}
			}
			if m := jestMark.FindStringSubmatch(line); m != nil {
				if name := ofJest(m[1], file); name != "" {
					add(name)
				}
			}
		}
		for tooLong && err == nil { // skip the rest of a long line
			_, tooLong, err = lines.ReadLine()
		}
		if err != nil {
			break
		}
	}
	if len(names) > mostFailing {
		return nil
	}
	slices.Sort(names)
	return names
}
