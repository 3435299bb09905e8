package forge

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// jobLog is a log as GitHub Actions writes it.
func jobLog(day string, before, after int, lines ...string) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	n := 0
	put := func(l string) {
		n++
		fmt.Fprintf(&b, "%sT10:%02d:%02d.%07dZ %s\r\n", day, n/60%60, n%60, n*13, l)
	}
	for i := range before {
		put(fmt.Sprintf("\x1b[32mok\x1b[0m  \tstep %d", i))
	}
	for _, l := range lines {
		put(l)
	}
	for i := range after {
		put(fmt.Sprintf("more %d", i))
	}
	put("Post job cleanup.")
	for i := range 50 {
		put(fmt.Sprintf("[command]/usr/bin/git config %d", i))
	}
	return b.String()
}

func TestLogTail(t *testing.T) {
	failure := []string{"--- FAIL: TestGreet (0.01s)", "    greet_test.go:12: got \x1b]8;;http://x\x07\x1b[1;31m\"hi\"\x1b[0m", "FAIL",
		"##[error]Process completed with exit code 1."}
	got := LogTail(jobLog("2026-01-02", 1000, 0, failure...), 4096)
	for _, want := range []string{"--- FAIL: TestGreet (0.01s)\n    greet_test.go:12: got \"hi\"\nFAIL\n##[error]Process completed", "ok  \tstep 999\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, no := range []string{"2026-01-02T", "\x1b", "cleanup", "git config", "\r", "\ufeff", "http://x"} {
		if strings.Contains(got, no) {
			t.Errorf("%q is in %q", no, got)
		}
	}
	if len(got) > 4096 || len(got) < 3500 || !strings.HasPrefix(got, "(cut)\nok") {
		t.Errorf("%d bytes: %q", len(got), got[:60])
	}
}

func TestLogTailPlaces(t *testing.T) {
	many := func(n int) string { return strings.Repeat("a line\n", n) }
	for _, c := range []struct{ name, in, has string }{
		{"nothing", "", ""},
		{"short", "a\nb\n", "a\nb"},
		{"end", many(1000) + "the last", "(cut)\na line"},
		{"end is there", many(1000) + "the last", "the last"},
		{"error in the middle", many(1000) + "x.go:3: error: bad\n" + many(1000), "x.go:3: error: bad"},
		{"marked before guessed", "error: an old one\n" + many(1000) + "##[error]the one\n" + many(1000), "##[error]the one"},
		{"marked before the end of a step", "##[error]the one\n" + many(1000) + "##[error]Process completed with exit code 1.\n" + many(1000), "##[error]the one"},
		{"marked by a later step", many(1000) + "##[error]Process completed with exit code 1.\n" + many(1000) + "##[error]of later\n", "exit code 1."},
		{"end of a step before guessed", "error: an old one\n" + many(1000) + "##[error]Process completed with exit code 2.", "exit code 2."},
		{"error at the start", "##[error]first\n" + many(1000), "##[error]first\na line"},
		{"long line", strings.Repeat("ä", 5000), "ääää"},
		{"after the error", "##[error]first\n" + many(1000), "a line\n(cut)"},
		{"invisible", "a\u200bb\x00c", "abc"},
		{"progress", "10%\r20%\rdone", "10%\n20%\ndone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := LogTail(c.in, 1000)
			if !strings.Contains(got, c.has) || len(got) > 1000 || !utf8.ValidString(got) || c.in == "" && got != "" {
				t.Errorf("%d bytes: %q", len(got), got)
			}
		})
	}
}

func TestSign(t *testing.T) {
	lines := func(seconds, port, dir, id string) []string {
		return []string{
			"--- FAIL: TestGreet (" + seconds + "s)", "    " + dir + "/greet_test.go:12: got \"hi\" at 2026-01-02T03:04:05Z on 127.0.0.1:" + port,
			"panic: request " + id + " failed after " + seconds + "ms", "##[error]Process completed with exit code 1.",
		}
	}
	one := Sign("test", jobLog("2026-01-02", 10, 2, lines("0.01", "40211", "/tmp/go-build1", "9f86d081884c7d65")...))
	for name, log := range map[string]string{
		"another day": jobLog("2027-11-12", 10, 2, lines("12.5", "99", "/home/x/work/shop", "0d6f3ac01234567")...),
		"more before": jobLog("2026-01-02", 300, 9, lines("0.01", "40211", "/tmp/y", "123e4567-e89b-12d3-a456-426614174000")...),
		"another order": jobLog("2026-01-02", 10, 2, lines("0.01", "1", "C:\\work\\shop", "9f86d081884c7d65")[1], lines("3", "2", "/a/b", "9")[0],
			lines("3", "2", "/a/b", "11")[2], "##[error]Process completed with exit code 2."),
	} {
		if Sign("test", log) != one {
			t.Errorf("%s: the sign differs", name)
		}
	}
	other := lines("0.01", "40211", "/tmp/go-build1", "9f86d081884c7d65")
	other[0] = "--- FAIL: TestPart (0.01s)"
	if Sign("test", jobLog("2026-01-02", 10, 2, other...)) == one {
		t.Error("another failure has the same sign")
	}
	if Sign("lint", jobLog("2026-01-02", 10, 2, lines("0.01", "40211", "/tmp/go-build1", "9f86d081884c7d65")...)) == one {
		t.Error("another check has the same sign")
	}
	if a, b := Sign("x", "3 files are not formatted"), Sign("x", "5 files are not formatted"); a != b || a == Sign("x", "no such branch") {
		t.Error("without words that mark an error all lines count")
	}
}

// A step whose output marks no error ends with a line that is the same for each failure: all of the step counts.
func TestSignOfAStepWithoutMarks(t *testing.T) {
	ruff := func(day, image, finding string) string {
		return jobLog(day, 20, 0, "##[group]Run pip install ruff", "##[endgroup]", "Downloading ruff from "+image, "##[group]Run ruff check .",
			"shell: /usr/bin/bash -e {0}", "##[endgroup]", finding, "Found 1 error.", "##[error]Process completed with exit code 1.",
			"##[group]Run actions/upload-artifact@v4", "##[endgroup]", "Uploaded from "+image)
	}
	unused := Sign("lint", ruff("2026-01-02", "eastus", "calc.py:3:8: F401 [*] `os` imported but unused"))
	if unused != Sign("lint", ruff("2026-02-11", "westeurope", "calc.py:14:8: F401 [*] `os` imported but unused")) {
		t.Error("the same failure on another day: the sign differs")
	}
	if unused == Sign("lint", ruff("2026-01-02", "eastus", "calc.py:9:1: E722 Do not use bare `except`")) {
		t.Error("another failure has the same sign")
	}
	if earlier := "error: no cache, going on without\n"; Sign("lint", earlier+ruff("2026-01-02", "eastus", "a")) == Sign("lint", earlier+ruff("2026-01-02", "eastus", "b")) {
		t.Error("an error before the step hides how it failed")
	}
	for _, end := range []string{"npm ERR! Exit status 1", "npm error Lifecycle script `lint` failed with error:", "error Command failed with exit code 1.",
		"error: Recipe `lint` failed on line 3 with exit code 1", `error: script "lint" exited with code 1`, "FAILURE: Build failed with an exception."} {
		if Sign("lint", "3:5 error no-undef\n"+end) == Sign("lint", "3:5 error no-var\n"+end) {
			t.Errorf("%q hides what failed", end)
		}
	}
	if Sign("lint", "##[error]Process completed with exit code 1.") == Sign("lint", "a\n##[error]Process completed with exit code 1.") {
		t.Error("a log without steps counts for nothing")
	}
}
