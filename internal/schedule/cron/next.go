package cron

import (
	"math/bits"
	"time"
)

// horizon is how far Next searches. A 29 February may be eight years away, and one on a given day of the week much further.
const horizon = 40 * 365 * 24 * time.Hour

func (s Spec) String() string { return s.text }

// Next returns the next n times after a moment, fewer when there are none within forty years. A time that clocks skip when they go
// forward does not occur on that day. A time that occurs twice is returned twice.
func (s Spec) Next(after time.Time, zone *time.Location, n int) []time.Time {
	var all []time.Time
	t := after.In(zone).Truncate(time.Second)
	end := t.Add(horizon)
	for t = t.Add(time.Duration(60-t.Second()) * time.Second); len(all) < n && t.Before(end); {
		switch { // step through absolute time, so that clock changes neither skip nor repeat a moment
		case !s.onDay(t) || !s.hours.has(t.Hour()):
			t = t.Add(time.Duration(60-t.Minute()) * time.Minute)
			continue
		case s.minutes.has(t.Minute()):
			all = append(all, t)
		}
		t = t.Add(time.Minute)
	}
	return all
}

func (s Spec) onDay(t time.Time) bool {
	day, week := s.days.has(t.Day()), s.weeks.has(int(t.Weekday()))
	return s.months.has(int(t.Month())) && (day && week || s.either && (day || week))
}

// comes reports whether any date matches.
func (s Spec) comes() bool {
	if s.either {
		return true
	}
	for m := 1; m <= 12; m++ {
		last := time.Date(2024, time.Month(m+1), 0, 0, 0, 0, 0, time.UTC).Day() // days of the month in a leap year
		if s.months.has(m) && bits.TrailingZeros64(uint64(s.days)) <= last {
			return true
		}
	}
	return false
}

// Calendar is one alternative of an expression: all fields must match. Each lists its values in ascending order.
type Calendar struct {
	Minutes, Hours, Days, Months, Weekdays []int
}

// Calendars returns the alternatives of the expression. A time matches if one of them does.
func (s Spec) Calendars() []Calendar {
	c := Calendar{list(s.minutes), list(s.hours), list(s.days), list(s.months), list(s.weeks)}
	if !s.either {
		return []Calendar{c}
	}
	byDay, byWeek := c, c
	byDay.Weekdays, byWeek.Days = span(0, 6), span(1, 31)
	return []Calendar{byDay, byWeek}
}

// OffHours returns the hours in which the expression never matches.
func (s Spec) OffHours() []int { return list(^s.hours & (1<<24 - 1)) }

func list(s set) (all []int) {
	for v := range 64 {
		if s.has(v) {
			all = append(all, v)
		}
	}
	return all
}

func span(from, to int) (all []int) {
	for v := from; v <= to; v++ {
		all = append(all, v)
	}
	return all
}
