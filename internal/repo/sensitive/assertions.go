package sensitive

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// claims match the assertions of a language, by the extensions of its files.
var claims = assertionsByExtension()

func assertionsByExtension() map[string]*regexp.Regexp {
	const javaScript = `\bexpect\w*\s*\(|\bassert\b|\bt\.(?:is|not|deepEqual|true|false|throws|like|truthy|falsy)\w*\(|\.should\b`
	const jvm = `\bassert\w*\s*[({ ]|\bverify\w*\s*\(|\bshould\w*\b|\bexpect\w*\s*\(|\bfail\(`
	claims := map[string]*regexp.Regexp{}
	for end, pattern := range map[string]string{
		".go": `\b(?:t|tb|tt|b|f|c|T\(\))\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\(|\b(?:assert|require|is|qt|should)\.\w+\(|\b(?:Expect|Ω|So)\(`,
		".py": `^\s*assert\b|\bself\.(?:assert|fail)\w*\(|\bpytest\.(?:raises|warns|fail)\(|\bassert_\w+\(|\.assert_\w+\(`,
		".js": javaScript, ".jsx": javaScript, ".ts": javaScript, ".tsx": javaScript, ".mjs": javaScript, ".cjs": javaScript,
		".mts": javaScript, ".cts": javaScript, ".vue": javaScript, ".svelte": javaScript,
		".rs":   `\b(?:debug_)?assert\w*!|\bpanic!|\bprop_assert\w*!|#\[should_panic`,
		".java": jvm, ".kt": jvm, ".kts": jvm, ".groovy": jvm, ".scala": jvm,
		".cs": `\bAssert\.\w+|\.Should\w*\(`, ".fs": `\bAssert\.\w+|\bshould\b`, ".vb": `\bAssert\.\w+`,
		".rb":  `\bexpect\b|\bassert\w*\b|\brefute\w*\b|\bshould\b|\bmust_\w+|\bwont_\w+`,
		".php": `(?:->|::)assert\w+\(|->expect\w*\(|\bexpect\(|->to\w+\(`,
		".ex":  `\bassert\w*\b|\brefute\w*\b`, ".exs": `\bassert\w*\b|\brefute\w*\b`,
		".swift": `\bXCTAssert\w*\(|\bXCTFail\(|#expect\(|#require\(`, ".dart": `\bexpect\w*\(|\bverify\w*\(`,
		".c": cAsserts, ".cc": cAsserts, ".cpp": cAsserts, ".cxx": cAsserts, ".h": cAsserts, ".hpp": cAsserts,
		".bats": shellAsserts, ".sh": shellAsserts, ".t": `\b(?:is|ok|isnt|like|is_deeply|cmp_ok|pass|fail)\b`,
	} {
		claims[end] = regexp.MustCompile(pattern)
	}
	return claims
}

const (
	cAsserts     = `\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|TEST|REQUIRE)|ck_assert|TEST_ASSERT|assert)\w*\s*\(`
	shellAsserts = `\bassert\w*\b|\brefute\w*\b|^\s*\[\[? |^\s*test |\bexit 1\b|\bdiff\b|\bcmp\b`
)

// stops matches added lines that end a test before it has judged anything, that swallow what it has found, or that ask the environment
// whether it shall judge at all.
var stops = regexp.MustCompile(`^\s*return(?:\s+(?:None|nil|null|true))?\s*;?\s*$` +
	`|\bif\s*\(?\s*(?:false|False|0)\b|\bwhile\s*\(?\s*(?:false|False|0)\b|^\s*#if\s+(?:0|false)\b` +
	`|^\s*except\b.*:\s*(?:pass\s*)?$|\bcontextlib\.suppress\(|\bsuppress\(\w*(?:Error|Exception)` +
	`|\bcatch\b\s*(?:\([^)]*\))?\s*\{|^\s*rescue\b|\brecover\(\)` +
	`|^\s*(?:}?\s*else\s+)?(?:if|unless)\b.*(?:` +
	`\benv::var|\bos\.(?:environ|getenv|Getenv|LookupEnv)\b|\bprocess\.env\b|\bSystem\.getenv\(|\bENV\[)`)

// comments matches lines that are nothing but a comment, in any of the languages.
var comments = regexp.MustCompile(`^\s*(?://|/?\*|#(?:[^\[!\w]|$)|--|"""|<!--)|^\s*#\s`)

// assertions checks a test that was there before for what it no longer says: assertions, and cases with their values. What a task adds in
// the same file does not make up for an assertion that is gone: the people who read the change have to judge that, so they are told.
func (i *inspection) assertions() {
	claim := claims[path.Ext(i.new)]
	if claim == nil || i.Cut || binary(i.Old) {
		return
	}
	was, is := statements(i.Old), statements(i.New)
	if fewer := matching(was, claim) - matching(is, claim); fewer > 0 {
		i.add(Tests, "has %s fewer", excerpt.Count(fewer, "assertion"))
	}
	gone := without(was, is)
	n := matching(gone, claim)
	if matching(is, values) <= matching(was, values) { // otherwise there are new cases, and changed lines come with them
		n = matching(gone, claim, values)
	}
	if n += len(without(conditions(was, claim), is)); n > 0 {
		i.add(Tests, "changes or drops %s of before", excerpt.Count(n, "line"))
	} else if n := len(literals(was, literals(is, nil))); n > 0 {
		i.add(Tests, "no longer has %s of before", excerpt.Count(n, "value"))
	}
	l, _ := languageOf(i.new)
	if count(l, i.New) > count(l, i.Old) {
		return // a new test may well return early
	}
	if n := matching(without(is, was), stops); n > 0 {
		i.add(Tests, "may stop before it has judged, or hide what it found, in %s", excerpt.Count(n, "new line"))
	}
}

// statements returns the lines of a file that say something, without the blanks around them: indentation is no difference.
func statements(content []byte) (list []string) {
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); len(line) > 1 && !comments.MatchString(line) && !imports.MatchString(line) {
			list = append(list, line)
		}
	}
	return list
}

// conditions returns the lines that decide whether the assertion on the line behind them is made.
func conditions(list []string, claim *regexp.Regexp) (found []string) {
	for n, line := range list {
		if n+1 < len(list) && decides.MatchString(line) && claim.MatchString(list[n+1]) {
			found = append(found, line)
		}
	}
	return found
}

var decides = regexp.MustCompile(`^(?:}?\s*else\s+)?(?:if|elif|elsif|unless|for|while|switch|case|when|match)\b`)

// literals returns the quoted texts in lines, each once, without those in known.
func literals(lines, known []string) (found []string) {
	for _, line := range lines {
		for _, text := range quoted.FindAllString(line, -1) {
			if !slices.Contains(known, text) && !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	return found
}

var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)+\"|'(?:[^'\\\\]|\\\\.)+'|`[^`]+`")

// values matches lines with a value: cases of tests, and what they expect.
var values = regexp.MustCompile("[\"'`]|\\b\\d|\\b(?:true|false|nil|null|None|True|False|undefined)\\b")

// imports matches lines that name other packages: they change with every new test.
var imports = regexp.MustCompile(`^(?:import|from|use|using|require|include|#include|package)\b|^"[\w./-]+"$` +
	`|^(?:const|let|var)\b.*\brequire\(`)

// without returns the lines of a list that the other does not have, each as often as it has it less.
func without(list, other []string) (left []string) {
	had := map[string]int{}
	for _, line := range other {
		had[line]++
	}
	for _, line := range list {
		if had[line]--; had[line] < 0 {
			left = append(left, line)
		}
	}
	return left
}

// matching counts the lines that match one of the patterns.
func matching(list []string, patterns ...*regexp.Regexp) (n int) {
	for _, line := range list {
		if slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(line) }) {
			n++
		}
	}
	return n
}
