package toolchain

import (
	"regexp"
	"sync"
)

// failures match a failing test in a line of a runner's output; their groups are its name. Those without a runner name what no runner counts
// as a test. They are compiled when the first check fails.
var failures = sync.OnceValue(func() []pattern {
	return compile([][2]string{
		{"pytest", `^(?:FAILED|ERROR) (\S+?::[^[]*?(?:\[.*?\])?)(?: - |$)`},       // its summary
		{"unittest", `^(?:FAIL|ERROR|UNEXPECTED SUCCESS): ([\w.]+ \([\w.]+\).*)`}, // and its modules that can't be imported
		{"cargo", `^test (.+) \.\.\. FAILED$`},
		{"TAP", `^\s*not ok \d+ (?:- )?([^#]*[^#\s])\s*(?:#\s*(?:time=.*|duration.*))?$`},
		{"TAP", `^\s*✖ (.+?) \([\d.]+ms\)$`}, // node's own runner
		{"jest", `^\s*● (.+ › .+)$`},
		{"vitest", `^\s*FAIL\s+((?:\|[^|]+\| )?\S+ > .+)$`}, // not the lines with ×, which leave out the file
		{"", `^\s*FAIL\s+(\S+) \[ \S+ \]$`},                 // vitest, of a file that does not load
		{"Maven", `^\[ERROR\]\s+([\w$]+[.(].*?)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!`},
		{"Gradle", `^(\S+ > .+) FAILED$`},
		{"PHPUnit", `^\d+\) (\S+::\S.*)$`},
		{"RSpec", `^rspec '?(\./[^\s':[]+)\S*( # .+)$`}, // without the line, which moves
		{"CTest", `^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|ILLEGAL|NUMERICAL|OTHER_FAULT|BAD_COMMAND|Bad Command|Not Run|Subprocess .*|` +
			`Exception.*|.*xpression.*)\)`},
	})
})

// parts match a line that says of which part of a project a runner speaks from there on. Its tests have unique names only there.
var parts = sync.OnceValue(func() []pattern {
	return compile([][2]string{
		{"cargo", `^\s*(?:Running (?:unittests )?(\S+)(?: \(.*?([^/\\]+)-[0-9a-f]{16}(?:\.exe)?\))?|Doc-tests (\S+))$`},
		{"jest", `^\s*(?:PASS\s|FAIL\s+((?:\S+\s+)?\S+\.[cm]?[jt]sx?)\b)`}, // none, if the file has passed
		{"Gradle", `^> Task (:\S+)`},
	})
})

// pattern matches lines of a runner, which is named as in tallies.
type pattern struct {
	runner string
	line   *regexp.Regexp
}

func compile(list [][2]string) (all []pattern) {
	for _, one := range list {
		all = append(all, pattern{one[0], regexp.MustCompile(one[1])})
	}
	return all
}

var (
	goTest    = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	goPackage = regexp.MustCompile(`^FAIL\s+([\w./~-]+)(?:\s+(\[.*\]|[\d.]+s|\(cached\)))`)
	// jestMark matches what jest marks as failed, outside of a group of tests.
	jestMark = regexp.MustCompile(`^\s*● ([^›]*[^›:])$`)
	// jestNote matches what jest notes in the form of a failure.
	jestNote = regexp.MustCompile(`^(?:Console|.*Warning|Cannot log after tests are done\b.*|process\.exit called\b.*)$`)
)
