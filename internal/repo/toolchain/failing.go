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
		`^(?:FAIL|ERROR): (\w+ \([\w.]+\))`,                                      // unittest
		`^test (\S+) \.\.\. FAILED$`,                                             // cargo
		`^\s*not ok \d+ (?:- )?([^#]*[^#\s])\s*(?:#\s*(?:time=.*|duration.*))?$`, // TAP
		`^\s*✖ (.+?) \([\d.]+ms\)$`,                                              // node's own runner
		`^\s*● (.+ › .+)$`,                                                       // jest
		`^\s*● (.+[^:])$`,                                                        // jest, of a test outside of any group
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

// jestFile matches the line that begins what jest says of a file.
var jestFile = regexp.MustCompile(`^\s*FAIL\s+(?:\S+\s+)?(\S+\.[cm]?[jt]sx?)\b`)

// ofFile completes what jest says where no test has failed: a file that does not load is named by itself, and notes are no failure.
func ofFile(name, file string) string {
	switch {
	case name == "Test suite failed to run":
		return strings.TrimSpace(file + " (failed to run)")
	case name == "Console", strings.HasSuffix(name, "Warning"):
		return ""
	}
	return name
}

// Failing returns the sorted names of failing tests in the output of test runners. It returns none when no known runner names one, or
// when more than 100 failed. A Go package that fails without a failing test (it does not build, or exited early) counts as one test.
func Failing(output io.Reader) []string {
	var names, inPackage []string
	file := "" // of JavaScript, whose failures follow
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
			inPackage = append(inPackage, m[1])
		} else if m := goPackage.FindStringSubmatch(line); m != nil {
			if len(inPackage) == 0 {
				add(strings.TrimSpace(m[1] + " " + strings.Trim(m[2], "0123456789.s")))
			}
			for _, test := range inPackage {
				add(m[1] + "." + test)
			}
			inPackage = nil
		} else if !tooLong {
			if m := jestFile.FindStringSubmatch(line); m != nil {
				file = m[1]
			}
			for _, expression := range failures() {
				if m := expression.FindStringSubmatch(line); m != nil {
					if name := ofFile(m[1], file); name != "" {
						add(name)
					}
					break
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
