package task

import "testing"

func TestRan(t *testing.T) {
	tests := func(n int) *Ran { return &Ran{n, RanTests} }
	for _, c := range []struct {
		now, before *Ran
		text        string
		fewer       bool
	}{
		{tests(0), tests(2), "no tests", true},
		{tests(1), tests(2), "1 test", true},
		{tests(2), tests(2), "2 tests", false},
		{tests(3), nil, "3 tests", false},
		{&Ran{1, RanPackages}, tests(2), "1 test package", false},
		{tests(0), &Ran{2, RanPackages}, "no tests", true},
		{tests(0), tests(0), "no tests", false},
	} {
		if got := c.now.String(); got != c.text || c.now.Fewer(c.before) != c.fewer {
			t.Errorf("%v after %v: %q, fewer %t", c.now, c.before, got, c.now.Fewer(c.before))
		}
	}
	if (*Ran)(nil).Fewer(tests(1)) {
		t.Error("nothing known is fewer")
	}
}
