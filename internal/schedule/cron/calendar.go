package cron

import (
	"math/bits"
	"time"
)

func (s Spec) String() string { return s.text }

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
