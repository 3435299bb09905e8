package httpclient

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	ours := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	theirs := ours.Add(time.Hour)
	in := func(d time.Duration) string { return theirs.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		date, after string
		wait        time.Duration
		ok          bool
	}{
		{"", "", 0, false},
		{"", "7", 7 * time.Second, true},
		{"", " 0 ", 0, true},
		{"", "-1", 0, false},
		{"", "1.5", 1500 * time.Millisecond, true},
		{"", "NaN", 0, false},
		{"", "Inf", 0, false},
		{"", "1073741824", 0, false},
		{"", "soon", 0, false},
		{in(0), in(time.Minute), time.Minute, true},
		{in(0), in(-time.Minute), 0, true},
		{"", in(time.Minute), time.Hour + time.Minute, true},
		{"yesterday", in(time.Minute), time.Hour + time.Minute, true},
	} {
		h := http.Header{"Date": {c.date}, "Retry-After": {c.after}}
		if wait, ok := RetryAfter(h, ours); wait != c.wait || ok != c.ok {
			t.Errorf("date %q, after %q: %s, %t, want %s, %t", c.date, c.after, wait, ok, c.wait, c.ok)
		}
	}
}
