package codex

import (
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent/program"
)

// limits are the account's quotas, from the headers of the newest answer of the model endpoint.
type limits struct {
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
}

// reset is when the quotas that are used up are available again; zero if none is, or if that is unknown.
func (l limits) reset() time.Time {
	var latest time.Time
	for _, w := range []*window{l.Primary, l.Secondary} {
		if w != nil && w.Used >= 100 && w.reset().After(latest) {
			latest = w.reset()
		}
	}
	return latest
}

// again matches when the quota is available again in the binary's message, in the zone that it runs in, which is UTC: "try again at 10:34 AM."
// or "try again at Nov 26th, 2026 1:33 PM."
var again = regexp.MustCompile(`[Tt]ry again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d{2} [AP]M)`)

// resetTime finds in a message when the quota is available again, zero if it does not say. A time without a date is the next one after now.
func resetTime(text string, now time.Time) time.Time {
	m := again.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	if m[1] != "" {
		t, err := time.Parse("Jan 2 2006 3:04 PM", strings.Join(m[1:], " "))
		if err != nil {
			return time.Time{}
		}
		return t
	}
	clock, err := time.Parse("3:04 PM", m[4])
	if err != nil {
		return time.Time{}
	}
	return program.NextTime(now.UTC(), clock.Hour(), clock.Minute())
}
