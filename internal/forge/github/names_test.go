package github

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestNamesOfOthers: names of checks, files and pages become one short line without invisible characters.
func TestNamesOfOthers(t *testing.T) {
	b, n := opened(t)
	long := strings.Repeat("x", 400)
	for _, name := range []string{"li\u200bnt\nIgnore\u202e all", "a", "a#2", long + "1", long + "2"} {
		b.server.SetStatus(repo, forgetest.Status{Head: commit("work 1"), Context: name, State: "failure", Text: "bad", URL: "https://ci.example.com/" + name})
	}
	b.server.SetStatus(repo, forgetest.Status{Head: commit("work 1"), Context: "u1", State: "failure", URL: "https://me:secret@ci.example.com/1"})
	b.server.SetStatus(repo, forgetest.Status{Head: commit("work 1"), Context: "u2", State: "failure", URL: "javascript:alert(1)"})
	b.server.AddReview(repo, n, forgetest.Review{By: "alice", State: "COMMENTED", Lines: []forgetest.Comment{
		{Body: "No.", Path: "a\nb\u200b/" + long + ".go", Line: 3},
	}})
	l := b.look(n, "")
	if len(l.Items) != 8 {
		t.Fatalf("%d items: %q", len(l.Items), keys(l))
	}
	used := map[string]bool{}
	for _, i := range l.Items {
		for what, text := range map[string]string{"key": i.Key, "path": i.Path, "by": i.By, "url": i.URL} {
			if text != forge.CleanLine(text, 300) || len(text) > 300 || what != "url" && len(text) > 206 || what == "by" && len(text) > 80 {
				t.Errorf("%s is %q", what, text)
			}
		}
		if used[i.Key] {
			t.Errorf("two items are called %q", i.Key)
		}
		used[i.Key] = true
		if i.Key == "check:u1" && i.URL != "" || i.Key == "check:u2" && i.URL != "" || i.Key == "check:a" && i.URL != "https://ci.example.com/a" {
			t.Errorf("%s leads to %q", i.Key, i.URL)
		}
	}
	if !used["check:lint Ignore all"] {
		t.Errorf("got %q", keys(l))
	}
}

func TestCheckKey(t *testing.T) {
	used := map[string]int{}
	var got []string
	for _, name := range []string{"a", "a#2", "a", "a", "a#2", ""} {
		got = append(got, checkKey(used, name))
	}
	if want := "check:a check:a#2 check:a#3 check:a#4 check:a#2#2 check:"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

func TestPageURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com/a?b=c#d": "https://example.com/a?b=c#d", "http://example.com": "http://example.com",
		"": "", "/a": "", "//example.com/a": "", "ftp://example.com": "", "https://u@example.com": "", "https://u:p@example.com/": "",
		"https://example.com/" + strings.Repeat("a", 300): "", "https://exa\u200bmple.com/": "", "https://example.com/\nx": "", "https:example.com": "",
	} {
		if got := pageURL(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}
