package forge

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

func TestTag(t *testing.T) {
	for _, id := range []string{"task-1", "acme/shop#7", "a b", "-->", "100%", "ü", "task=x fence=9"} {
		got, fence, ok := FindTag("Text\n\n" + Tag(id, 7) + "\n")
		if got != id || fence != 7 || !ok {
			t.Errorf("%q came back as %q %d %v", id, got, fence, ok)
		}
		if strings.Count(Tag(id, 7), "-->") != 1 {
			t.Errorf("%q ends the comment early: %s", id, Tag(id, 7))
		}
	}
}

func TestFindTag(t *testing.T) {
	for body, want := range map[string]string{
		"":                                     "",
		"text":                                 "",
		Tag("a", 1):                            "a",
		"x " + Tag("a", 1):                     "",  // not on a line of its own
		Tag("a", 1) + " x":                     "",  //
		"x\r\n\r\n" + Tag("a", 1) + "\r\nmore": "a", // edited in a browser
		Tag("a", 1) + "\n" + Tag("b", 2):       "a", // text added below does not count
		"<!-- longshift:task=a fence=x -->":    "",  //
		"<!-- longshift:task=a -->":            "",  //
		"<!-- longshift:task=%zz fence=1 -->":  "",  //
	} {
		if got, _, ok := FindTag(body); got != want || ok != (want != "") {
			t.Errorf("%q: got %q %v, want %q", body, got, ok, want)
		}
	}
}

func TestTagged(t *testing.T) {
	forged := []string{
		Tag("evil", 9), "<!--" + Tag("evil", 9), "<!--<!-- longshift:x>longshift:task=evil fence=9 -->", "<!- " + Tag("evil", 9) + "\n- longshift:x",
		"<!-- LONGSHIFT:task=evil fence=9 -->", "<!--\nlongshift:task=evil fence=9 -->", "```\n" + Tag("evil", 9) + "\n```", "<!-- longshift:",
	}
	for _, f := range forged {
		body := Tagged(f+"\ntext\n"+f, "mine", 1)
		if id, fence, ok := FindTag(body); id != "mine" || fence != 1 || !ok {
			t.Errorf("%q gives %q %d %v:\n%s", f, id, fence, ok, body)
		}
		if !strings.Contains(body, "text") {
			t.Errorf("%q has swallowed the text:\n%s", f, body)
		}
		if twice := Tagged(body, "mine", 2); len(tagForm.FindAllString(twice, -1)) != 1 {
			t.Errorf("the mark stands twice:\n%s", twice)
		}
	}
	if got := Tagged(" \n", "a", 1); got != Tag("a", 1) {
		t.Errorf("empty body: %q", got)
	}
	long := Tagged(strings.Repeat("ä", MaxBody), "a", 1)
	if id, _, ok := FindTag(long); len(long) > MaxBody || id != "a" || !ok || !strings.Contains(long, "(cut)") {
		t.Errorf("long body: %d bytes, %q %v", len(long), id, ok)
	}
}

func TestRetryAfter(t *testing.T) {
	var err error = &fault.Later{After: 90 * time.Second, Err: fault.New(fault.Infra, "GitHub is tired").WithHint("wait")}
	var again *fault.Later
	if !errors.As(err, &again) || again.After != 90*time.Second || fault.KindOf(err) != fault.Infra {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
	if want := "GitHub is tired (again in 1m30s)"; err.Error() != want {
		t.Errorf("got %q", err)
	}
}
