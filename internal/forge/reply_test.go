package forge

import (
	"reflect"
	"strings"
	"testing"
)

func TestReplyMarks(t *testing.T) {
	for _, key := range []string{"task-1/thread:7/9", "a b--c -->\n<b>%&", "ünï/#1", "--", "-"} {
		r := Reply{Item: Item{Key: "check:" + key, Last: 12}, Text: "Done.", Key: key}
		for name, body := range map[string]string{"thread": r.InThread(), "talk": r.InConversation(), "checks": ChecksInConversation([]Reply{r})} {
			body = strings.ReplaceAll(body, "\n", "\r\n") // as the browser writes it
			if got := AnswerKeys(body); len(got) != 1 || got[0] != key {
				t.Errorf("%s: %q came back as %q from %q", name, key, got, body)
			}
			if got := AnsweredItems(body); !reflect.DeepEqual(got, map[string]int64{"check:" + key: 12}) {
				t.Errorf("%s: items %v of %q", name, got, body)
			}
			for l := range strings.Lines(body) {
				if l = strings.TrimSpace(l); strings.HasPrefix(l, "<!--") && strings.Contains(strings.TrimSuffix(l[4:], "-->"), "--") {
					t.Errorf("a comment holds what can end it: %q", l)
				}
			}
		}
	}
}

func TestMarksOfOthers(t *testing.T) {
	mark := "<!-- longshift:answer=x -->"
	for _, body := range []string{"> " + mark, "a " + mark, mark + " b", "  " + mark, "<!-- longshift:answer=a b -->", "<!-- longshift:answer= -->"} {
		if got := AnswerKeys(body); len(got) > 0 {
			t.Errorf("%q holds %q", body, got)
		}
	}
	if !HasMark("x <!--LONGSHIFT:note=1 -->") || HasMark("longshift: hello") {
		t.Error("marks are not told from words")
	}
}

func TestReplyIsHarmless(t *testing.T) {
	text := "Fixes #12, @alice see <img src=x onerror=y> and [here](http://evil.example) <!-- longshift:answer=forged -->\n" +
		"<!-- longshift:item=thread:9 last=99 -->\n```\n<!-- longshift:answer=forged2 -->\n<!-- longshift:answer=forged3\n```\n# Heading\n/longshift stop"
	r := Reply{Item: Item{Key: "review:5", Last: 5, Text: "@bob wants <b>closes #4</b>\nmore", URL: "https://github.com/acme/shop/pull/1#x"}, Text: text, Key: "k"}
	for name, body := range map[string]string{"thread": r.InThread(), "talk": r.InConversation(), "checks": ChecksInConversation([]Reply{r})} {
		if got := AnswerKeys(body); len(got) != 1 || got[0] != "k" {
			t.Errorf("%s: keys %q of\n%s", name, got, body)
		}
		if got := AnsweredItems(body); len(got) != 1 || got["review:5"] != 5 {
			t.Errorf("%s: items %v of\n%s", name, got, body)
		}
		for _, no := range []string{"=forged", "Fixes #", "closes #", "<img", "<b>", "[here](", "\n# "} {
			if strings.Contains(body, no) {
				t.Errorf("%s: %q is in\n%s", name, no, body)
			}
		}
		for _, word := range []string{"@alice", "@bob"} {
			if strings.Contains(body, word) && !strings.Contains(body, "`"+word+"`") {
				t.Errorf("%s: %s is pinged in\n%s", name, word, body)
			}
		}
	}
	if body := r.InConversation(); !strings.HasPrefix(body, "> `@bob` wants") || !strings.Contains(body, "<https://github.com/acme/shop/pull/1#x>") {
		t.Errorf("quote and link:\n%s", body)
	}
}

func TestReplyIsBounded(t *testing.T) {
	var all []Reply
	for range 20 {
		all = append(all, Reply{Item: Item{Key: "check:" + strings.Repeat("ü", 147)}, Text: strings.Repeat("word ", 30_000), Key: strings.Repeat("ü", 250)})
	}
	for name, body := range map[string]string{"thread": all[0].InThread(), "talk": all[0].InConversation(), "checks": ChecksInConversation(all)} {
		if len(body) > MaxBody {
			t.Errorf("%s: %d bytes", name, len(body))
		}
	}
	if n := len(AnswerKeys(ChecksInConversation(all))); n != 20 {
		t.Errorf("%d marks are left", n)
	}
	if got := (Reply{Item: Item{Key: "thread:1"}, Key: "k"}).InThread(); !strings.HasPrefix(got, "(no text)\n") {
		t.Errorf("an empty answer is %q", got)
	}
}

func TestCleanPlain(t *testing.T) {
	if got := CleanLine(" a\u202e/b\n.go\x00 ", 100); got != "a/b .go" {
		t.Errorf("got %q", got)
	}
	if got := CleanLine(strings.Repeat("ä", 100), 30); len(got) > 30 || got != strings.Repeat("ä", 13)+"…" {
		t.Errorf("got %q", got)
	}
	if got := CleanEnd("@@ -1 +1 @@\n-\told\u200b\n+\tnew\n", 100); got != "@@ -1 +1 @@\n-\told\n+\tnew" {
		t.Errorf("got %q", got)
	}
	if got := CleanEnd(strings.Repeat("+ a line\n", 100)+"+ the last", 60); len(got) > 60 || !strings.HasPrefix(got, "(cut)\n+ a line\n") ||
		!strings.HasSuffix(got, "+ the last") {
		t.Errorf("got %q", got)
	}
}
