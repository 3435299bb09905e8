package toolchain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each output is the end of what the runner named prints.
func TestFailing(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   []string
	}{
		"go": {"ok  \texample.com/a\t0.01s\n--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/zero (0.00s)\n        calc_test.go:7: got 1\nFAIL\nFAIL\texample.com/calc\t0.002s\n" +
			"# example.com/b [example.com/b.test]\n./b_test.go:3:1: syntax error\nFAIL\texample.com/b [build failed]\n--- FAIL: TestMul (0.00s)\nFAIL\nFAIL\texample.com/mul\t0.1s\nFAIL\n",
			[]string{"example.com/b [build failed]", "example.com/calc.TestAdd", "example.com/calc.TestAdd/zero", "example.com/mul.TestMul"}},
		"go panic": {"panic: boom\n\ngoroutine 1 [running]:\nFAIL\texample.com/calc\t0.002s\nFAIL\n", []string{"example.com/calc"}},
		"go, early": {"--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta\t0.1s\nFAIL\n--- FAIL: TestKnown (0.00s)\n    p_test.go:3: x\npanic: test timed out after 1s\nFAIL\tgf/p\t1.007s\nFAIL\n",
			[]string{"a.TestA", "gf/p (ended early)", "gf/p.TestKnown"}},
		"pytest":              {"=== short test summary info ===\nFAILED tests/test_a.py::test_add - assert 1 == 2\nERROR tests/test_b.py::TestX::test_y\n1 failed, 1 error in 0.1s\n", []string{"tests/test_a.py::test_add", "tests/test_b.py::TestX::test_y"}},
		"unittest":            {"======\nFAIL: test_add (tests.test_calc.Add)\n------\nTraceback\nFAILED (failures=1)\n", []string{"test_add (tests.test_calc.Add)"}},
		"unittest, no module": {"ERROR: tests.test_a (unittest.loader._FailedTest.tests.test_a)\n", []string{"tests.test_a (unittest.loader._FailedTest.tests.test_a)"}},
		"cargo":               {"test tests::adds ... FAILED\ntest tests::subs ... ok\n", []string{"tests::adds"}},
		"node tap":            {"# Subtest: adds\nnot ok 1 - adds\n  ---\n    not ok 2 - inner one # time=1ms\nok 3 - fine\nnot ok 4 - later # TODO not yet\n", []string{"adds", "inner one"}},
		"node":                {"✔ fine (0.5ms)\n✖ adds (1.25ms)\n✖ failing tests:\n", []string{"adds"}},
		"jest":                {"  ● calc › adds\n\n    expect(received)\n  ● Console\n", []string{"calc › adds"}},
		"jest, file":          {"FAIL src/a.test.js\n  ● adds\n  ● Console\nFAIL  web  src/b.test.ts (5.1 s)\n  ● Test suite failed to run\n  ● Deprecation Warning:\n", []string{"src/a.test.js: adds", "web src/b.test.ts (failed to run)"}},
		"jest, notes":         {"PASS a.test.js\n  ●  Cannot log after tests are done. Did you forget to wait?\nFAIL b.test.js\n  ●  process.exit called with \"0\"\n  ● g › t\nPASS c.test.js\n  ● something else\n", []string{"b.test.js: g › t"}},
		"vitest, file":        {" FAIL  src/b.test.ts [ src/b.test.ts ]\nError: no module\n", []string{"src/b.test.ts"}},
		"ctest, all":          {"\t  2 - b (Not Run)\n\t  3 - c (Bad Command)\n\t  4 - d (ILLEGAL)\n\t  5 - e (Disabled)\n\t  6 - f (Skipped)\n", []string{"b", "c", "d"}},
		"vitest":              {" × calc > adds 3ms\n FAIL  src/calc.test.ts > calc > adds\n FAIL  |web| src/b.test.ts > subs\n Tests  2 failed (2)\n", []string{"src/calc.test.ts > calc > adds", "|web| src/b.test.ts > subs"}},
		"maven":               {"[ERROR] com.acme.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] com.acme.B.c  Time elapsed: 0.1 s  <<< ERROR!\n[ERROR] Tests run: 2\n", []string{"com.acme.B.c", "com.acme.CalcTest.adds"}},
		"gradle":              {"CalcTest > adds() FAILED\n> Task :test FAILED\n", []string{"CalcTest > adds()"}},
		"phpunit":             {"1) CalcTest::testAdd\nFailed asserting\n", []string{"CalcTest::testAdd"}},
		"rspec":               {"rspec ./spec/calc_spec.rb:4 # Calc adds\n", []string{"./spec/calc_spec.rb # Calc adds"}},
		"ctest":               {"The following tests FAILED:\n\t  2 - adds (Failed)\n", []string{"adds"}},
		"pytest, parameters":  {"FAILED t/a.py::t[1 - 2] - assert 1\nFAILED t/a.py::t[a b]\n2 failed, 1 subtests passed in 0.1s\n", []string{"t/a.py::t[1 - 2]", "t/a.py::t[a b]"}},
		"unittest, parts":     {"FAIL: test_x (m.T.test_x) (i=3)\nFAIL: test_x (m.T.test_x) [why] (i=4)\nFAILED (failures=2, skipped=1, expected failures=9)\n", []string{"test_x (m.T.test_x) (i=3)", "test_x (m.T.test_x) [why] (i=4)"}},
		"cargo, targets": {"     Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)\ntest adds ... FAILED\ntest result: FAILED. 0 passed; 1 failed;\n" +
			"     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\ntest adds ... FAILED\n   Doc-tests calc\ntest src/lib.rs - f (line 3) ... FAILED\ntest result: FAILED. 0 passed; 2 failed;\n",
			[]string{"calc: src/lib.rs - f (line 3)", "src/lib.rs calc: adds", "tests/it.rs it: adds"}},
		"jest, files":       {"FAIL a.test.js\n  ● g › t\nFAIL b.test.js\n  ● g › t\nTests:       2 failed, 2 total\n", []string{"a.test.js: g › t", "b.test.js: g › t"}},
		"maven, parameters": {"[ERROR] a.B.adds(int, int)[1] -- Time elapsed: 0.1 s <<< FAILURE!\n[ERROR] adds(a.C)  Time elapsed: 0 s  <<< ERROR!\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0\n", []string{"a.B.adds(int, int)[1]", "adds(a.C)"}},
		"gradle, projects":  {"> Task :a:test\nT > t() FAILED\n1 test completed, 1 failed\n> Task :b:test FAILED\nT > t() FAILED\n", []string{":a:test: T > t()", ":b:test: T > t()"}},
		"phpunit, data":     {"1) T::t with data set \"b\"\n2) T::t with data set #0 (1, 2)\nTests: 3, Assertions: 3, Errors: 1, Failures: 1.\n", []string{"T::t with data set \"b\"", "T::t with data set #0 (1, 2)"}},
		"rspec, shared":     {"rspec './spec/a_spec.rb[1:2:1]' # A adds\n3 examples, 1 failure\n", []string{"./spec/a_spec.rb # A adds"}},
		"more than named":   {"FAILED t/a.py::t - x\n2 failed in 0.1s\n", nil},
		"suites":            {"  ✖ works (1ms)\n✖ A (2ms)\n  ✖ other (1ms)\n  ✖ works (1ms)\n✖ B (2ms)\nℹ suites 2\nℹ fail 3\n", nil},
		"suites that pass":  {"  ✖ works (1ms)\n✖ A (2ms)\nℹ suites 9\nℹ fail 1\n\n✖ failing tests:\n\n✖ works (1ms)\n", []string{"A", "works"}},
		"one name, twice":   {"✖ adds (1ms)\n✖ adds (2ms)\nℹ fail 2\n", nil},
		"a file in the way": {"FAIL a.test.js\n  ● t\nFAIL b.test.js\n  ● Test suite failed to run\nTests:       2 failed, 2 total\n", nil},
		"an unknown runner": {"FAILED t/a.py::t - x\n1 failed in 0.1s\n  3 passing (1s)\n  1 failing\n", nil},
		"outside of tests":  {" FAIL  a.test.ts > t\n      Tests  1 failed (1)\n     Errors  1 error\n", nil},
		"colour":            {"\x1b[31m✖ adds (1.25ms)\x1b[0m\n", []string{"adds"}},
		"twice":             {"✖ adds (1ms)\n✖ adds (2ms)\n", []string{"adds"}},
		"nothing said":      {"make: *** [all] Error 1\n./a.go:1:1: vet: bad\nno tests failed\n", nil},
	} {
		if got := Failing(strings.NewReader(c.output)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	var many strings.Builder
	for i := range mostFailing + 1 {
		fmt.Fprintf(&many, "✖ test %d (1ms)\n", i)
	}
	if got := Failing(strings.NewReader(many.String())); got != nil {
		t.Errorf("%d names of too many", len(got))
	}
	if got := Failing(strings.NewReader(strings.Repeat("x", 1<<20) + "\n✖ adds (1ms)")); !slices.Equal(got, []string{"adds"}) {
		t.Errorf("after a long line: %q", got)
	}
}
