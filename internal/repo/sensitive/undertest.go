package sensitive

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// asksForTests matches lines by which a program finds out that it is being tested, in any of the languages. What it does differently then
// is not what its tests say that it does.
var asksForTests = regexp.MustCompile(`\btesting\.Testing\(\)|["']-test\.|\bLookup\("test\.|HasSuffix\(os\.Args.*"\.test"|os\.Args\[0\].*\.test\b` +
	`|\bPYTEST_CURRENT_TEST\b|["'](?:pytest|unittest|nose)["']\s+(?:not\s+)?in\s+sys\.(?:modules|argv)` +
	`|\bJEST_WORKER_ID\b|\benv\.(?:VITEST|MOCHA|TAP)\b|\bNODE_(?:ENV|TEST_CONTEXT)\b.*(?:['"]test['"]|TEST_CONTEXT)|\bimport\.meta\.vitest\b` +
	`|\bcfg!\(\s*test\s*\)|\bdefined\?\(\s*(?:RSpec|Minitest|Test::Unit)|\bPHPUNIT_\w+|\bXCTestConfigurationFilePath\b` +
	`|\bsurefire\b|\borg\.(?:junit|testng)\b.*(?:getStackTrace|forName)`)

// endsWell matches lines that end the program with success.
var endsWell = regexp.MustCompile(`\b(?:os|syscall|unix)\.(?:Exit|_exit)\(\s*0\s*\)|\bSYS_EXIT|\bsys\.exit\(\s*0?\s*\)` +
	`|\bquick_exit\(\s*0|\b_exit\(\s*0` +
	`|\bprocess\.(?:exit|reallyExit)\(\s*0?\s*\)|\bprocess::exit\(\s*0\s*\)|\bhalt\(\s*0\s*\)|\bSystem\.exit\(\s*0\s*\)|^\s*exit!?\(?\s*0\s*\)?\s*$`)

// programs are where a file may well end the program that it is.
var programs = []string{"bin/", "cmd/", "cli/", "scripts/", "script/", "tools/", "examples/", "main.*", "__main__.py", "cli.*", "*.sh", "*.bash"}

// goProgram matches the package clause of a program of Go.
var goProgram = regexp.MustCompile(`(?m)^package main\b`)

// underTest checks code that is no test for what makes its tests pass in another way than by doing what they ask for.
func (i *inspection) underTest() {
	if _, source := languageOf(i.new); !source || !i.text() || isTest(i.new) {
		return
	}
	fresh := added(i.Old, i.New)
	if slices.ContainsFunc(fresh, asksForTests.MatchString) {
		i.add(Tests, "finds out whether it is being tested")
	}
	program := matchesAny(i.new, programs) || goProgram.Match(i.New) || bytes.HasPrefix(i.New, []byte("#!"))
	if !program && slices.ContainsFunc(fresh, endsWell.MatchString) {
		i.add(Tests, "ends the program that uses it, as if all were well")
	}
}

var (
	goPackage  = regexp.MustCompile(`(?m)^package (\w+)`)
	goExported = regexp.MustCompile(`^func ([A-Z]\w*)[(\[]`)
	goTested   = regexp.MustCompile(`^func (?:Test|Benchmark|Fuzz|Example)`)
)

// standIns checks a test of Go for what it could test in place of the product: its own package, or functions that it declares itself.
func (i *inspection) standIns() {
	if path.Ext(i.new) != ".go" {
		return
	}
	if was, is := goPackage.FindSubmatch(i.Old), goPackage.FindSubmatch(i.New); was != nil && is != nil && !bytes.Equal(was[1], is[1]) {
		i.add(Tests, "is of package %s, and was of %s", is[1], was[1])
	}
	n := 0
	for _, line := range added(i.Old, i.New) {
		if goExported.MatchString(line) && !goTested.MatchString(line) {
			n++
		}
	}
	if n > 0 && path.Base(i.new) != "export_test.go" {
		i.add(Tests, "declares %s with a name like that of the product", excerpt.Count(n, "function"))
	}
}

// expected are files that hold what tests expect.
var expected = []string{"*.golden", "*.golden.*", "golden/", "goldens/", "*.snap", "__snapshots__/", "*.approved.*", "*.expected", "*.expected.*"}

// expectations checks the files that hold what tests expect. New ones come with new tests.
func (i *inspection) expectations() {
	if i.was() && matchesAny(i.old, expected) {
		i.addAt(Tests, i.OldPath, "holds what tests expect, and is %s", i.how())
	}
}

// copies checks the list of the modules that a repository of Go holds copies of: nothing compares those with what their authors have
// published.
func (i *inspection) copies() {
	if !i.text() || !matches(i.new, "vendor/modules.txt") {
		return
	}
	var modules []string
	for _, line := range added(i.Old, i.New) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			modules = append(modules, name)
		}
	}
	if len(modules) > 0 {
		i.add(Registries, "holds a copy of %s", strings.Join(modules, ", "))
	}
}
