package checkup

import "testing"

// A program tells the version that it was built with, and one that was built without any says so.
func TestReadBuild(t *testing.T) {
	defer func(before string) { stamped = before }(stamped)
	for _, c := range []struct{ given, stamped, want string }{{"v1.2.3", "abc", "v1.2.3"}, {"", "v0.1.0-3-gabc", "v0.1.0-3-gabc"}, {"", "", "devel"}} {
		stamped = c.stamped
		if got := ReadBuild(c.given).Version; got != c.want {
			t.Errorf("given %q, stamped %q: version %q, want %q", c.given, c.stamped, got, c.want)
		}
	}
}
