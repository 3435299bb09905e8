package claude

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // reset times contain zone names, and a small host may lack the database

	"github.com/longshift/longshift/internal/agent/program"
)

// limitTexts match the messages of the binary, its older versions and the API about an exhausted quota. They do not match warnings that
// don't stop a session ("You've used 93% of your ...", "Approaching ...", "You're now using ...").
var limitTexts = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`usage limit reached`, `limit reached [·∙]`, `you've hit your `, `you've reached your `,
	`you have reached your specified .*usage limits`, `you're out of (usage credits|extra usage)`, `your org is out of usage`,
	`your seat type doesn't include `, `your usage allocation has been disabled`, `your group's usage limit is set to \$0`,
	`(fable|haiku|mythos|opus|sonnet)\b.* requires usage credits`, `credit balance is too low`, `api error: rate limit reached`,
	`team's pooled group budget`,
}, "|"))

func isLimitText(text string) bool { return limitTexts.MatchString(straight(text)) }

// straight replaces typographic apostrophes.
func straight(s string) string { return strings.ReplaceAll(s, "’", "'") }

var (
	epochReset = regexp.MustCompile(`limit reached\|(\d{9,12})\b`)
	exactReset = regexp.MustCompile(`resets?(?: at)? (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))`)
	dayReset   = regexp.MustCompile(`regain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC`)
	clockReset = regexp.MustCompile(`resets?(?: at)? (?:([A-Z][a-z]{2}) (\d{1,2})(?:, (\d{4}))?(?:,| at)? ?)?` +
		`(?:(\d{1,2})(?::(\d{2}))? ?(am|pm|AM|PM))?(?: \(([A-Za-z0-9_+/-]+)\))?`)
)

// resetTime finds in a message when the quota is available again. Messages may omit the day or the year; the next matching time after now
// is used. A time without a zone is UTC, the zone that the binary runs in.
func resetTime(text string, now time.Time) (time.Time, bool) {
	text = straight(text)
	if m := epochReset.FindStringSubmatch(text); m != nil {
		sec, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(sec, 0).UTC(), err == nil
	}
	if m := exactReset.FindStringSubmatch(text); m != nil {
		t, err := time.Parse(time.RFC3339, m[1])
		return t.UTC(), err == nil
	}
	if m := dayReset.FindStringSubmatch(text); m != nil {
		t, err := time.Parse("2006-01-02 15:04", m[1]+" "+m[2])
		return t, err == nil
	}
	for _, m := range clockReset.FindAllStringSubmatch(text, -1) {
		if t, ok := clock(m, now); ok {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// clock combines a date and a time of day, either of which may be missing.
func clock(m []string, now time.Time) (time.Time, bool) {
	zone := time.UTC
	if m[7] != "" {
		var err error
		if zone, err = time.LoadLocation(m[7]); err != nil {
			return time.Time{}, false
		}
	}
	hour, minute, timed := timeOfDay(m[4], m[5], m[6])
	if m[1] == "" {
		if !timed {
			return time.Time{}, false
		}
		return program.NextTime(now.In(zone), hour, minute), true
	}
	date, err := time.Parse("Jan 2", m[1]+" "+m[2])
	if err != nil {
		return time.Time{}, false
	}
	year := now.In(zone).Year()
	if m[3] != "" {
		year, _ = strconv.Atoi(m[3])
	}
	on := func(year int) time.Time {
		if !timed { // no time given: the end of the day is safe
			return time.Date(year, date.Month(), date.Day()+1, 0, 0, 0, 0, zone)
		}
		return time.Date(year, date.Month(), date.Day(), hour, minute, 0, 0, zone)
	}
	t := on(year)
	switch {
	case m[3] != "" || t.After(now):
		return t, true
	case now.Sub(t) < 24*time.Hour:
		return now.Add(time.Minute), true
	}
	return on(year + 1), true
}

func timeOfDay(hour, minute, half string) (h, m int, ok bool) {
	if hour == "" {
		return 0, 0, false
	}
	h, _ = strconv.Atoi(hour)
	m, _ = strconv.Atoi(minute) // "" is 0
	if h < 1 || h > 12 || m > 59 {
		return 0, 0, false
	}
	if h %= 12; strings.EqualFold(half, "pm") {
		h += 12
	}
	return h, m, true
}
