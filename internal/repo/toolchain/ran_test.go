package toolchain

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// Each output is the end of what the runner named prints.
func TestRan(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"go":                 {"ok  \texample.com/a\t0.01s\n?   \texample.com/b\t[no test files]\nok  \texample.com/c\t(cached)\nok  \texample.com/d\t0.01s [no tests to run]\n", "2 test packages"},
		"go, none":           {"?   \texample.com/b\t[no test files]\n", "no tests"},
		"go, none match":     {"testing: warning: no tests to run\nPASS\nok  \texample.com/d\t0.01s [no tests to run]\n", "no tests"},
		"go, named":          {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: later\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.01s\n", "1 test"},
		"go, fails":          {"--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/calc\t0.002s\nok  \texample.com/a\t0.01s\n", "2 test packages"},
		"go, does not build": {"# example.com/b\nFAIL\texample.com/b [build failed]\nFAIL\n", ""},
		"go, events": {`{"Action":"output","Package":"x","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}` + "\n" +
			`{"Time":"2026-01-02T03:04:05Z","Action":"pass","Package":"x","Test":"TestA","Elapsed":0}` + "\n" +
			`{"Action":"skip","Package":"x","Test":"TestB","Elapsed":0}` + "\n" + `{"Action":"pass","Package":"x","Elapsed":0.002}` + "\n", "1 test"},
		"pytest":            {"tests/test_a.py ..s\n==== 1 failed, 2 passed, 1 skipped, 3 warnings in 0.05s ====\n", "3 tests"},
		"pytest, quiet":     {"..\n2 passed in 0.01s\n", "2 tests"},
		"pytest, none":      {"==== no tests ran in 0.01s ====\n", "no tests"},
		"pytest, deselects": {"==== 4 deselected in 0.01s ====\n", "no tests"},
		"pytest, subtests":  {"1 failed, 2 passed, 3 subtests passed in 0.01s\n", "3 tests"},
		"failures only":     {"2 tests completed, 1 failed\n# fail 1\n", ""},
		"unittest":          {"Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", "2 tests"},
		"unittest, none":    {"Ran 0 tests in 0.000s\n\nOK\n", "no tests"},
		"cargo":             {"running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\n   Doc-tests x\n\nrunning 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", "3 tests"},
		"jest":              {"Test Suites: 1 passed, 1 total\nTests:       1 failed, 1 skipped, 2 passed, 4 total\n", "3 tests"},
		"jest, none":        {"No tests found, exiting with code 0\n", "no tests"},
		"vitest":            {" Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n", "3 tests"},
		"mocha":             {"  2 passing (5ms)\n  1 failing\n", "3 tests"},
		"node":              {"ℹ tests 4\nℹ suites 0\nℹ pass 3\nℹ skipped 1\nℹ todo 0\n", "3 tests"},
		"tap":               {"# tests 2\n# pass 2\n", "2 tests"},
		"maven":             {"[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in com.acme.A\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n", "2 tests"},
		"phpunit":           {"OK (5 tests, 9 assertions)\n", "5 tests"},
		"phpunit, skips":    {"Tests: 5, Assertions: 9, Skipped: 2.\n", "3 tests"},
		"rspec":             {"3 examples, 0 failures, 1 pending\n", "2 tests"},
		"minitest":          {"4 runs, 9 assertions, 0 failures, 0 errors, 1 skips\n", "3 tests"},
		"dotnet":            {"Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms\n", "3 tests"},
		"ctest":             {"100% tests passed, 0 tests failed out of 7\n", "7 tests"},
		"exunit":            {"1 doctest, 3 tests, 0 failures, 1 skipped\n", "3 tests"},
		"bats":              {"2 tests, 0 failures\n", "2 tests"},
		"xctest":            {"\t Executed 4 tests, with 0 failures (0 unexpected) in 0.01 (0.01) seconds\n", "4 tests"},
		"deno":              {"ok | 3 passed | 0 failed (5ms)\n", "3 tests"},
		"bun":               {" 3 pass\n 0 fail\nRan 3 tests across 1 files. [5.00ms]\n", "3 tests"},
		"two runners":       {"ok  \texample.com/a\t0.01s\n2 passed in 0.01s\n", "2 tests"},
		"colour":            {"\x1b[32m2 passed\x1b[0m in 0.01s\n", "2 tests"},
		"nothing said":      {"make: nothing to be done\n12 files checked\nok\n", ""},
		"too large":         {"99999999999999999999 passed in 0.01s\n", "no tests"},
	} {
		got := Ran(strings.NewReader(c.output))
		if text := said(got); text != c.want {
			t.Errorf("%s: got %q, want %q", name, text, c.want)
		}
	}
	if got := Ran(strings.NewReader(strings.Repeat("x", 1<<20) + "\n2 passed in 0.01s")); said(got) != "2 tests" {
		t.Errorf("after a long line: %v", got)
	}
}

func said(r *task.Ran) string {
	if r == nil {
		return ""
	}
	return r.String()
}
