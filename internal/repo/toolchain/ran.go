package toolchain

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/task"
)

// A tally matches a line by which a test runner says how many tests have run, and failed. The numbers that n finds in it are added up, and
// those that less finds (skipped tests) are taken off. Without both the line says that none has, or only how many have failed.
type tally struct {
	runner                string
	line, n, less, failed *regexp.Regexp
}

// tallies are compiled when the first check has run.
var tallies = sync.OnceValue(func() (all []tally) {
	for _, t := range []struct{ runner, line, n, less, failed string }{
		{"pytest", `^(?:=+ )?(?:\d+ [a-z]+(?: [a-z]+)?(?:, )?)+ in [\d.]+s`, `(\d+) (?:passed|failed|xfailed|xpassed)\b`, ``,
			`(\d+) (?:(?:subtests )?failed|errors?)\b`},
		{"pytest", `^(?:=+ )?no tests ran\b`, ``, ``, ``},
		{"unittest", `^Ran \d+ tests? in `, `^Ran (\d+)`, ``, ``},
		{"unittest", `^(?:OK \(.*skipped=|FAILED \(.*\w=)\d+`, ``, `skipped=(\d+)`,
			`(?:\(|, )(?:failures|errors|unexpected successes)=(\d+)`},
		{"cargo", `^test result: `, `(\d+) (?:passed|failed)`, ``, `(\d+) failed`},
		{"jest", `^Tests:\s.*\d+ total`, `(\d+) (?:passed|failed)`, ``, `(\d+) failed`},
		{"jest", `^No tests found\b`, ``, ``, ``},
		{"vitest", `^\s*Tests\s+.*\(\d+\)\s*$`, `(\d+) (?:passed|failed)`, ``, `(\d+) failed`},
		{"vitest", `^\s*Errors\s+\d+ errors?$`, ``, ``, `(\d+)`}, // that no test has caught
		{"vitest", `^\s*No test files found\b`, ``, ``, ``},
		{"mocha", `^\s*\d+ (?:passing|failing)\b`, `(\d+) (?:passing|failing)`, ``, `(\d+) failing`},
		{"TAP", `^(?:#|ℹ) (?:tests|skipped|todo) \d+$`, `tests (\d+)`, `(?:skipped|todo) (\d+)`, ``},
		{"TAP", `^(?:#|ℹ) (?:fail|cancelled) +\d+$`, ``, ``, `(\d+)`},
		{"prove", `^Files=\d+, Tests=\d+`, `Tests=(\d+)`, ``, ``},
		{"TAP", `^Failed \d+/\d+ test programs`, ``, ``, `(\d+)/\d+ subtests failed`},
		{"Maven", `^(?:\[\w+\] +)?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$`, `run: (\d+)`, `Skipped: (\d+)`,
			`(?:Failures|Errors): (\d+)`},
		{"Gradle", `^\d+ tests? completed, \d+ failed`, ``, ``, `(\d+) failed`},
		{"PHPUnit", `^OK(?:, but .*)? \(\d+ tests?, `, `(\d+) tests?,`, ``, ``},
		{"PHPUnit", `^Tests: \d+, Assertions: `, `^Tests: (\d+)`, `Skipped: (\d+)`, `(?:Failures|Errors): (\d+)`},
		{"PHPUnit", `^No tests executed!`, ``, ``, ``},
		{"RSpec", `^\d+ examples?, \d+ failures?`, `(\d+) examples?`, `(\d+) pending`, `(\d+) (?:failures?|errors?)`},
		{"minitest", `^\d+ (?:runs|tests), \d+ assertions`, `^(\d+)`, `(\d+) skips`, `(\d+) (?:failures|errors)`},
		{"dotnet", `^(?:Passed|Failed)!\s+- Failed:`, `(?:Failed|Passed):\s+(\d+)`, ``, `Failed:\s+(\d+)`},
		{"CTest", `\d+% tests passed, \d+ tests failed out of \d+`, `out of (\d+)`, ``, `(\d+) tests failed`},
		{"CTest", `^No tests were found!`, ``, ``, ``},
		{"ExUnit, bats", `^(?:\d+ doctests?, )?\d+ tests?, .*\d+ failures?`, `(\d+) (?:tests?|doctests?)`, `(\d+) (?:skipped|excluded)`,
			`(\d+) failures?`},
		{"XCTest", `^\s*Executed \d+ tests?, with `, `Executed (\d+)`, ``, `with (\d+) failures?`},
		{"Deno", `^(?:ok|FAILED) \| \d+ passed`, `(\d+) (?:passed|failed)`, ``, `(\d+) failed`},
		{"bun", `^\s*Ran \d+ tests? across `, `Ran (\d+)`, ``, ``},
		{"bun", `^\s*\d+ fail$`, ``, ``, `(\d+)`},
	} {
		all = append(all, tally{t.runner, regexp.MustCompile(t.line), optional(t.n), optional(t.less), optional(t.failed)})
	}
	return all
})

func optional(expression string) *regexp.Regexp {
	if expression == "" {
		return nil
	}
	return regexp.MustCompile(expression)
}

var (
	goOK    = regexp.MustCompile(`^ok\s+\S+\s+(?:[\d.]+s|\(cached\))`)
	goNone  = regexp.MustCompile(`^(?:\?\s+\S+\s+\[no test files\]|ok\s+\S+\s.*\[no tests to run\]|testing: warning: no tests to run)`)
	goEnded = regexp.MustCompile(`^\s*--- (?:PASS|FAIL): `)
	goEvent = regexp.MustCompile(`^\{.*"Action":"(?:pass|fail)",.*"Test":"`) // with -json
)

// Ran returns how many tests have run, by the output of test runners; nil when no known runner says so. Skipped tests have not run. go test
// names its tests only with -v; without, packages are counted in which tests have run.
func Ran(output io.Reader) *task.Ran {
	var said, named bool // named: go test names its tests
	var tests, goTests, packages int
	lines := bufio.NewReaderSize(output, 64<<10)
	for {
		raw, tooLong, err := lines.ReadLine()
		line := strings.TrimRight(plaintext.Of(string(raw)), "\n ")
		switch {
		case tooLong:
		case goNone.MatchString(line):
			said = true
		case goOK.MatchString(line), goPackage.MatchString(line) && !strings.HasSuffix(line, "failed]"):
			said, packages = true, packages+1
		case goEnded.MatchString(line):
			goTests++
		case strings.HasPrefix(line, "=== RUN "):
			said, named = true, true
		case goEvent.MatchString(line):
			said, named, goTests = true, true, goTests+1
		default:
			if t := tallyOf(line); t != nil {
				if n, ok := t.ran(line); ok {
					said, tests = true, tests+n
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
	switch {
	case !said:
		return nil
	case named:
		tests += goTests
	case packages > 0 && tests == 0:
		return &task.Ran{N: packages, Of: task.RanPackages}
	}
	return &task.Ran{N: max(tests, 0), Of: task.RanTests}
}

// tallyOf returns the tally that matches a line, nil for none.
func tallyOf(line string) *tally {
	for _, t := range tallies() {
		if t.line.MatchString(line) {
			return &t
		}
	}
	return nil
}

// ran returns how many tests have run by a line; ok is false when it says only how many have failed.
func (t *tally) ran(line string) (n int, ok bool) {
	return sum(t.n, line) - sum(t.less, line), t.n != nil || t.less != nil || t.failed == nil
}

// sum adds up the numbers that an expression finds in a line; nil finds none.
func sum(expression *regexp.Regexp, line string) (n int) {
	if expression == nil {
		return 0
	}
	for _, m := range expression.FindAllStringSubmatch(line, -1) {
		if one, err := strconv.Atoi(m[1]); err == nil && one < 1e9 {
			n += one
		}
	}
	return n
}
