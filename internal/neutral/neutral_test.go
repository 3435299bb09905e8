package neutral

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessage(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "feat: add it\n\nBecause <T> & *why*, see a.go:7, UTF-8 and 2>&1.", "feat: add it\n\nBecause <T> & *why*, see a.go:7, UTF-8 and 2>&1."},
		{"escape sequences", "fix\x1b[31m red\x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "fix red link"},
		{"half a sequence", "a\x1b\x1b[31m[31mb\u009b1mc", "a[31mbc"},
		{"bidi", "access \u202elevel\u2066 admin", "access level admin"},
		{"hidden", "clo\u200bses #\u200b7 @\u2060every\u00adone\U000e0041\ufe0f", "closes # 7 @ everyone"},
		{"not UTF-8, carriage returns", "a\xffb\r\nc\rd", "a\uFFFDb\nc\nd"},
		{"closes", "x\n\nCloses #7, fixes: GH-9 resolves acme/web#12", "x\n\nCloses # 7, fixes: GH- 9 resolves acme/web# 12"},
		{"closes over lines", "x\n\ncloses\n#7", "x\n\ncloses\n# 7"},
		{"references of GitLab", "see !12, g/p!3, &4, GL-5 and [issue:6]", "see ! 12, g/p! 3, & 4, GL- 5 and [ issue:6]"},
		{"addresses", "fixes https://github.com/a/b/issues/7#c-1 and www.example.com", "fixes https:// github.com/a/b/issues/7#c-1 and www. example.com"},
		{"address in an address", "http://www.a/@bob", "http:// www. a/@ bob"},
		{"names", "Thanks @everyone, (@acme/web) and ann@example.com", "Thanks @ everyone, (@ acme/web) and ann@example.com"},
		{"name and number", "@7#8 #7@bob", "@ 7# 8 # 7@bob"},
		{"commit elsewhere", "as in torvalds/linux@0123abcd", "as in torvalds/linux@ 0123abcd"},
		{"trailers", "x\n\nCo-authored-by: Ann <ann@example.com>\nSigned-Off-By : B <b@c>\nskip-checks: true\nChange-Id: I1",
			"x\n\nCo-authored- by: Ann <ann@example.com>\nSigned-Off- By : B <b@c>\nskip- checks: true\nChange- Id: I1"},
		{"trailers in a list, a quote and a line", "x\n\n* Co-authored-by: A\n> acked-by: B\nand reviewed-by: C", "x\n\n* Co-authored- by: A\n> acked- by: B\nand reviewed- by: C"},
		{"trailer alone", "Co-authored-by: Ann <ann@example.com>", "Co-authored- by: Ann <ann@example.com>"},
		{"our mark", "longshift-task: t/9\nx\n\nLongshift-Task: t/1", "longshift- task: t/9\nx\n\nLongshift- Task: t/1"},
		{"title with a dash", "go-git: fix it", "go-git: fix it"},
		{"no checks", "x [skip ci] [CI-skip] [no ci] [skip actions] ***NO_CI***", "x [ skip ci] [ CI-skip] [ no ci] [ skip actions] *** NO_CI***"},
		{"other brackets", "[ci] a[skip] [x] - [skipped]", "[ci] a[skip] [x] - [skipped]"},
		{"end of the message", "x\n\n---\ndiff --git a/x b/x\n--- a/x\n+++ b/x\nIndex: x\nFrom 0123abc Mon", "x\n\n ---\n diff --git a/x b/x\n --- a/x\n+++ b/x\n Index: x\n From 0123abc Mon"},
		{"begins with the end", "---\nx", " ---\nx"},
		{"far below", "x" + strings.Repeat("\n \t", 90) + "\nhidden", "x\n\nhidden"},
		{"nothing", " \n\t\u200b\n ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Message(c.in)
			if got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
			if again := Message(got); strings.TrimSpace(again) != strings.TrimSpace(got) {
				t.Errorf("%q changes again to %q", got, again)
			}
		})
	}
}

func TestMessageIsBounded(t *testing.T) {
	for _, part := range []string{"www.", "http://", "@a", "#1", "a-", "\n---", "[", "ä", "a/"} {
		got := Message(strings.Repeat(part, 1<<20))
		if len(got) > 3*most || !utf8.ValidString(got) || len(Acts(got)) > 0 {
			t.Errorf("%q: %d bytes, acts %v", part, len(got), Acts(got))
		}
	}
}

var acts = regexp.MustCompile(`(?i)(^|[^a-z0-9@])@[a-z0-9]|#\d|\bG[HL]-\d|(https?|ftp)://[^\s<>"|\\\[\]` + "`" + `]|[a-z]-by[ \t]*:|\[skip ci\]`)

// judge looks for side effects of a message by independent rules, and asks git for its trailers.
func judge(t *testing.T, s string, git bool) {
	t.Helper()
	got := Message(s)
	if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\u200b\u202e") {
		t.Errorf("%q gives %q", s, got)
	}
	if at := acts.FindString(got); at != "" || len(Acts(got)) > 0 {
		t.Errorf("%q acts in %q, of %q", at, got, s)
	}
	if !git {
		return
	}
	cmd := exec.Command("git", "interpret-trailers", "--parse")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "HOME=/dev/null"}
	cmd.Stdin = strings.NewReader(got + "\n\nMark: ours\n")
	if out, err := cmd.Output(); err != nil || string(out) != "Mark: ours\n" {
		t.Errorf("%q has the trailers %q: %v", got, out, err)
	}
}

// TestNothingActs builds messages from pieces that are hard to handle in combination.
func TestNothingActs(t *testing.T) {
	pieces := []string{"@bob", "#12", "closes ", " ", "\n", "\n\n", "a", "7", "-", "--", "---", "/", ".", "https://", "www.", "GH-3", "GL-",
		"o/r#4", "!5", "&6", ">", ":", "[skip ci]",
		"[", "]", "Signed-off-by", ": x", "Key: value", "(cherry picked from commit 0123)", "diff -", "\t", "\u200b", "\u202e", "\x1b[1m", "\x1b", "\r", "\x00", "é", "\xff", "@0123abcd"}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		var b strings.Builder
		for range rng.IntN(14) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		judge(t, b.String(), i%50 == 0)
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("closes #7 @x https://a.b/@c GH-1 a/b!2 [skip ci]\n\nCo-authored-by: A <a@b>\n---\nwww.www.x&1")
	f.Add("x\n\nSigned-off-by: a\n(cherry picked from commit 0123)\n continued\n\n\n#1#2@3@a#4\x1b[1m\u202e")
	f.Add("diff -\n\nKey: value\nOther-Key : value\n --- \n\x00\n;-by:")
	f.Fuzz(func(t *testing.T, s string) { judge(t, s, true) })
}
