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
		"jest, file":          {"FAIL src/a.test.js\n  ● adds\n  ● Console\nFAIL  web  src/b.test.ts (5.1 s)\n  ● Test suite failed to run\n  ● Deprecation Warning:\n", []string{"adds", "src/b.test.ts (failed to run)"}},
		"jest, notes":         {"PASS a.test.js\n  ●  Cannot log after tests are done. Did you forget to wait?\nFAIL b.test.js\n  ●  process.exit called with \"0\"\n  ● g › t\nPASS c.test.js\n  ● something else\n", []string{"g › t"}},
		"vitest, file":        {" FAIL  src/b.test.ts [ src/b.test.ts ]\nError: no module\n", []string{"src/b.test.ts"}},
		"ctest, all":          {"\t  2 - b (Not Run)\n\t  3 - c (Bad Command)\n\t  4 - d (ILLEGAL)\n\t  5 - e (Disabled)\n\t  6 - f (Skipped)\n", []string{"b", "c", "d"}},
		"vitest":              {" FAIL  src/calc.test.ts > calc > adds\n × src/b.test.ts > subs 3ms\n", []string{"src/b.test.ts > subs", "src/calc.test.ts > calc > adds"}},
		"maven":               {"[ERROR] com.acme.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] com.acme.B.c  Time elapsed: 0.1 s  <<< ERROR!\n[ERROR] Tests run: 2\n", []string{"com.acme.B.c", "com.acme.CalcTest.adds"}},
		"gradle":              {"CalcTest > adds() FAILED\n> Task :test FAILED\n", []string{"CalcTest > adds()"}},
		"phpunit":             {"1) CalcTest::testAdd\nFailed asserting\n", []string{"CalcTest::testAdd"}},
		"rspec":               {"rspec ./spec/calc_spec.rb:4 # Calc adds\n", []string{"./spec/calc_spec.rb:4"}},
		"ctest":               {"The following tests FAILED:\n\t  2 - adds (Failed)\n", []string{"adds"}},
		"colour":              {"\x1b[31m✖ adds (1.25ms)\x1b[0m\n", []string{"adds"}},
		"twice":               {"✖ adds (1ms)\n✖ adds (2ms)\n", []string{"adds"}},
		"nothing said":        {"make: *** [all] Error 1\n./a.go:1:1: vet: bad\nno tests failed\n", nil},
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
