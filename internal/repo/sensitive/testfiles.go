package sensitive

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// testNames match test files by their own name, whatever folder they are in.
var testNames = []string{
	"*_test.go", "test_*.py", "*_test.py", "tests.py", "conftest.py", "*.test.*", "*.spec.*", "*.cy.*", "*_spec.rb", "*_test.rb",
	"test_*.rb", "*test.java", "*tests.java", "*it.java", "*test.kt", "*tests.kt", "*test.groovy", "*spec.groovy", "*spec.scala",
	"*test.scala", "*tests.cs", "*test.cs", "*test.php", "*_test.exs", "*_test.dart", "*_test.c*", "*_tests.c*", "test_*.c*",
	"*tests.swift", "*test.swift", "*.bats", "*_test.rs", "*_test.gleam", "*_test.clj*", "*-test.el",
}

// testFolders are folders whose source files are all tests or parts of tests. Data files in them do not count.
var testFolders = []string{"test/", "tests/", "__tests__/", "spec/", "specs/", "e2e/", "cypress/", "integration-tests/"}

// language describes how tests look in files with these extensions.
type language struct {
	ends string
	test *regexp.Regexp // the start of a test
	skip *regexp.Regexp // a line that disables a test
}

var languages = []language{
	in(".go", `(?m)^func (?:\([^)]*\) )?(?:Test|Fuzz|Example)\w*\(`, `\.Skip(?:f|Now)?\(|^//go:build\s+ignore\b`),
	in(".py", `(?m)^\s*(?:async\s+)?def test`,
		`\bmark\.(?:skip|xfail)|\bpytest\.(?:skip|xfail|importorskip)\(|\b(?:skip|skipIf|skipUnless|expectedFailure)\b\s*(?:\(|$)`+
			`|\bskipTest\(|\bSkipTest\b|\b__test__\s*=\s*False`),
	in(".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte", `(?m)(?:^|[^\w.])(?:it|test)(?:\.each\b[^\n]*?)?\s*\(`,
		`\b(?:it|test|describe|context|suite|specify|step)\.(?:[a-z]+\.)*(?:skip|skipIf|todo|only|fixme|failing)\b`+
			`|(?:^|[^\w.])(?:x(?:it|test|describe|context|specify)|f(?:it|describe|context))\s*\(|\bthis\.skip\(|\bignore:\s*true`),
	in(".rs", `#\[\s*(?:\w+::)*test\b`, `#\[\s*(?:ignore\b|cfg_attr\(.*\bignore\b)`),
	in(".java .kt .kts .groovy .scala", `@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|(?m)^\s*(?:test|it)\(`,
		`@(?:Disabled\w*|Ignore\w*)\b|\bassum(?:e|ing)(?:True|False|That)\b|\bignore\(`),
	in(".cs .fs .vb", `\[(?:Fact|Theory|Test|TestMethod|TestCase)\b`,
		`\bSkip\s*=|[\[<](?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive)\b`),
	in(".rb", `(?m)^\s*(?:it|test|specify|scenario)\b|^\s*def test_`,
		`^\s*(?:xit|xdescribe|xcontext|xspecify|fit|fdescribe|skip|pending)\b|\bskip:\s`),
	in(".php", `\bfunction test|@test\b|#\[Test\b|(?m)^\s*(?:it|test)\(`, `\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo|only)\(`),
	in(".ex .exs", `(?m)^\s*test\s`, `@(?:module|describe)?tag\s+:?skip`),
	in(".swift", `\bfunc test|@Test\b`, `\bXCTSkip|\.disabled\(`),
	in(".dart", `(?m)^\s*test(?:Widgets)?\(`, `\bskip:\s|@Skip\b`),
	in(".c .cc .cpp .cxx .h .hpp", `\bTEST(?:_\w+)?\s*\(`, `\bGTEST_SKIP\b|\bDISABLED_\w|\bSKIP\(`),
	in(".bats .sh .t .pl .pm", `(?m)^\s*@test\b`, `^\s*skip\b|\bskip_all\b|\bTODO:`),
}

// buildTag matches a line that leaves a file of Go out of some builds. A new file may well be for one system alone.
var buildTag = regexp.MustCompile(`^//(?:go:build| \+build)\s`)

func in(ends, test, skip string) language {
	return language{ends, regexp.MustCompile(test), regexp.MustCompile(skip)}
}

func languageOf(p string) (language, bool) {
	end := path.Ext(p)
	for _, l := range languages {
		if end != "" && strings.Contains(" "+l.ends+" ", " "+end+" ") {
			return l, true
		}
	}
	return language{}, false
}

// isTest reports whether a path is a test file. Test data does not count.
func isTest(p string) bool {
	_, source := languageOf(p)
	return source && !within(p, "testdata") && !within(p, "fixtures") && (matchesAny(p, testNames) || matchesAny(path.Dir(p), testFolders))
}

// tests checks for tests that were removed or disabled. Rust keeps tests beside the code.
func (i *inspection) tests() {
	was, is := i.was() && isTest(i.old), i.there() && isTest(i.new)
	switch {
	case was && !i.there():
		i.addAt(Tests, i.OldPath, "removed")
		return
	case was && !is:
		i.addAt(Tests, i.OldPath, "moved to %s, where it is no test", i.Path)
		return
	case was && i.NewMode == link && i.OldMode != link:
		i.add(Tests, "is a link to %s now", i.New)
		return
	case !i.text(), !is && path.Ext(i.new) != ".rs":
		return
	}
	if was && path.Base(i.old) != path.Base(i.new) {
		i.add(Tests, "was %s: its runner may not look for the new name", path.Base(i.OldPath))
	}
	l, _ := languageOf(i.new)
	skipped := 0
	for _, line := range added(i.Old, i.New) {
		if l.skip.MatchString(line) || was && buildTag.MatchString(line) {
			skipped++
		}
	}
	if skipped > 0 {
		i.add(Tests, "skips tests, or leaves others out, in %s", excerpt.Count(skipped, "new line"))
	}
	if slices.ContainsFunc(added(i.Old, i.New), ends.MatchString) || neverRuns(i.New) && !neverRuns(i.Old) {
		i.add(Tests, "may end before its tests have run")
	}
	before, now := uncommented(path.Ext(i.old), i.Old), uncommented(path.Ext(i.new), i.New)
	switch fewer, renamed := count(l, before)-count(l, now), len(without(starts(l, before), starts(l, now))); {
	case i.Cut:
		i.add(Tests, "is too large to look into")
	case fewer > 0:
		i.add(Tests, "has %s fewer", excerpt.Count(fewer, "test"))
	case fewer == 0 && renamed > 0: // one that is split has more
		i.add(Tests, "has another name for %s", excerpt.Count(renamed, "test"))
	}
	i.standIns()
	if was && is {
		i.assertions()
	}
}

func count(l language, content []byte) int { return len(l.test.FindAllIndex(content, -1)) }

// starts returns the lines that tests start with.
func starts(l language, content []byte) (list []string) {
	for _, line := range statements(content) {
		if l.test.MatchString(line) {
			list = append(list, line)
		}
	}
	return list
}

// ends matches lines that end the program of the tests as if all had passed.
var ends = regexp.MustCompile(`\bos\.(?:Exit|_exit)\(\s*0\s*\)|\bsys\.exit\(\s*0?\s*\)|\bprocess\.exit\(\s*0?\s*\)`)

// neverRuns reports whether a file of Go takes over from the test runner and runs nothing.
func neverRuns(content []byte) bool {
	return bytes.Contains(content, []byte("func TestMain(")) && !bytes.Contains(content, []byte(".Run()"))
}
