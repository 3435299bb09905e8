package cron

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, zone, after string
		want              []string
	}{
		{"0 9 * * 1-5", "UTC", "2026-11-20T09:00:00Z", []string{"2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z"}},
		{"0 9 * * 1-5", "UTC", "2026-11-20T08:59:59.5Z", []string{"2026-11-20T09:00:00Z"}},
		{"0 9 * * *", "Europe/Rome", "2026-11-20T00:00:00Z", []string{"2026-11-20T09:00:00+01:00"}},
		{"0 9 * * *", "Asia/Kolkata", "2026-11-20T00:00:00Z", []string{"2026-11-20T09:00:00+05:30"}},
		{"0 0 13 * fri", "UTC", "2026-11-01T00:00:00Z", []string{"2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},
		{"0 0 */2 * fri", "UTC", "2026-11-01T00:00:00Z", []string{"2026-11-13T00:00:00Z", "2026-11-27T00:00:00Z"}},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", []string{"2104-02-29T00:00:00Z"}},
		{"0 0 31 * *", "UTC", "2026-11-01T00:00:00Z", []string{"2026-12-31T00:00:00Z", "2027-01-31T00:00:00Z", "2027-03-31T00:00:00Z"}},
		// Spring in Rome: on 29 March 2026 it is 03:00 where it would be 02:00.
		{"30 2 * * *", "Europe/Rome", "2026-03-27T12:00:00Z", []string{"2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"}},
		{"0 9 * * *", "Europe/Rome", "2026-03-28T00:00:00Z", []string{"2026-03-28T09:00:00+01:00", "2026-03-29T09:00:00+02:00"}},
		{"0 * * * *", "Europe/Rome", "2026-03-29T00:30:00+01:00", []string{"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"}},
		// Autumn in Rome: on 25 October 2026 the hour from 02:00 comes twice.
		{"30 2 * * *", "Europe/Rome", "2026-10-24T12:00:00Z", []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-26T02:30:00+01:00"}},
		{"0 9 * * *", "Europe/Rome", "2026-10-24T12:00:00Z", []string{"2026-10-25T09:00:00+01:00"}},
		{"0 1 * * *", "Europe/Rome", "2026-10-24T12:00:00Z", []string{"2026-10-25T01:00:00+02:00", "2026-10-26T01:00:00+01:00"}},
		// Lord Howe Island changes by half an hour, Beirut at midnight.
		{"15,45 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", []string{"2026-10-04T02:45:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", []string{"2026-03-30T00:00:00+03:00"}},
	} {
		s, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := Zone(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, tt.after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range s.Next(after, zone, len(tt.want)) {
			got = append(got, at.Format(time.RFC3339))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q in %s: %s", tt.text, tt.zone, diff)
		}
	}
	if all := (Spec{}).Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC, 1); all != nil {
		t.Errorf("what never comes comes at %v", all)
	}
}

func TestOffHours(t *testing.T) {
	t.Parallel()
	s, err := Parse("0 1-23 * * *")
	if err != nil || !cmp.Equal(s.OffHours(), []int{0}) {
		t.Errorf("%v, %v", s.OffHours(), err)
	}
	if s, err = Parse("@hourly"); err != nil || len(s.OffHours()) != 0 {
		t.Errorf("%v, %v", s.OffHours(), err)
	}
}
