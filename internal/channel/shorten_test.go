package channel

import (
	"testing"
	"time"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 3, "äö…"}, {"a bcd", 3, "a…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"\U0001F680\U0001F680", 1, "…"},
	} {
		if got := Shorten(c.in, c.n); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestCountdown(t *testing.T) {
	now := time.Date(2026, 3, 1, 14, 12, 0, 0, time.FixedZone("", 3600)) // 13:12 UTC
	for _, c := range []struct {
		then string
		in   time.Duration
		want string
	}{
		{"approved automatically", 20 * time.Minute, "Approved automatically at 13:32 UTC, in 20 minutes"},
		{"approved automatically", time.Minute, "Approved automatically at 13:13 UTC, in 1 minute"},
		{"approved automatically", 10 * time.Second, "Approved automatically at 13:12 UTC, in less than a minute"},
		{"approved automatically", 19*time.Minute + 50*time.Second, "Approved automatically at 13:31 UTC, in 20 minutes"},
		{"approved automatically", time.Hour, "Approved automatically at 14:12 UTC, in 1 hour"},
		{"approved automatically", 2*time.Hour + 5*time.Minute, "Approved automatically at 15:17 UTC, in 2 hours 5 minutes"},
		{"rejected by itself", 11 * time.Hour, "Rejected by itself at 00:12 UTC on 2 March, in 11 hours"},
		{"rejected by itself", 48 * time.Hour, "Rejected by itself at 13:12 UTC on 3 March, in 2 days"},
		{"rejected by itself", 25 * time.Hour, "Rejected by itself at 14:12 UTC on 2 March, in 1 day 1 hour"},
		{"approved automatically", 0, "Approved automatically any moment now"},
		{"approved automatically", -time.Hour, "Approved automatically any moment now"},
		{"", time.Hour, "Continues automatically at 14:12 UTC, in 1 hour"},
		{"übergeben", time.Hour, "Übergeben at 14:12 UTC, in 1 hour"},
	} {
		if got := Countdown(Message{Then: c.then, Until: now.Add(c.in)}, now); got != c.want {
			t.Errorf("%v: %q, want %q", c.in, got, c.want)
		}
	}
	if got := Countdown(Message{Then: "approved automatically"}, now); got != "" {
		t.Errorf("without a time: %q", got)
	}
}

func TestPlain(t *testing.T) {
	in := "# Plan\n\nSee [the page](https://example.com/) or https://example.com/x.\n\n- a\n  - b  \n    c\n\n> q  \n> r\n\n```go\nx\ny\n```\n\n---"
	want := "Plan\n\nSee the page (https://example.com/) or https://example.com/x.\n\n• a\n  • b\n    c\n\n> q\n> r\n\nx\ny\n\n———"
	if got := Plain(Read(in)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
