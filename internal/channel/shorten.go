package channel

import (
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
)

// Shorten truncates s to n characters, including an ellipsis if anything was cut.
func Shorten(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for range n - 1 {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return strings.TrimRight(s[:i], " \n\t") + "…"
}

// Length counts UTF-16 code units, as the platforms may: characters beyond the basic plane count twice.
func Length(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// Countdown describes what happens automatically and when, such as "Approved automatically at 14:32 UTC, in 20 minutes". It
// returns "" if nothing does.
func Countdown(m Message, now time.Time) string {
	if m.Until.IsZero() {
		return ""
	}
	what := m.Then
	if what == "" {
		what = "continues automatically"
	}
	first, w := utf8.DecodeRuneInString(what)
	what = strings.ToUpper(string(first)) + what[w:]
	until, now := m.Until.UTC(), now.UTC()
	left := until.Sub(now)
	if left <= 0 {
		return what + " any moment now"
	}
	clock := until.Format("15:04 UTC")
	if until.Format(time.DateOnly) != now.Format(time.DateOnly) {
		clock += until.Format(" on 2 January")
	}
	return what + " at " + clock + ", in " + span(left)
}

// span formats a duration in at most two units, to the minute.
func span(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	days, hours, minutes := minutes/(24*60), minutes/60%24, minutes%60
	switch {
	case days > 0 && hours > 0:
		return excerpt.Count(days, "day") + " " + excerpt.Count(hours, "hour")
	case days > 0:
		return excerpt.Count(days, "day")
	case hours > 0 && minutes > 0:
		return excerpt.Count(hours, "hour") + " " + excerpt.Count(minutes, "minute")
	case hours > 0:
		return excerpt.Count(hours, "hour")
	case minutes > 0:
		return excerpt.Count(minutes, "minute")
	}
	return "less than a minute"
}
