package claude

import (
	"testing"
	"time"
)

func TestResetTime(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) // a Friday
	utc := func(text string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct{ text, want string }{
		{"You've hit your 5-hour limit · resets 10:10am (UTC)", "2026-11-20 10:10"},
		{"You've hit your weekly limit · resets Nov 23, 8:10am (UTC)", "2026-11-23 08:10"},
		{"You've hit your weekly limit · resets Feb 18, 2027, 8:10am (UTC)", "2027-02-18 08:10"},
		{"You've hit your Opus limit · resets Nov 23, 8:10am (UTC) · progress saved", "2026-11-23 08:10"},
		{"You've hit your Sonnet limit · resets 8:10am (UTC)", "2026-11-21 08:10"}, // passed today
		{"You've hit your Fable limit · resets 8:10am (UTC). Switch to another model to continue.", "2026-11-21 08:10"},
		{"API Error: Request rejected (429) · You've hit your 5-hour limit · resets 10:10am (UTC)", "2026-11-20 10:10"},
		{"Claude AI usage limit reached|1795169400", "2026-11-20 10:10"},
		{"Claude usage limit reached. Your limit will reset at 9am (America/Chicago).", "2026-11-20 15:00"},
		{"5-hour limit reached ∙ resets 9pm", "2026-11-20 21:00"},
		{"Session limit reached ∙ resets 12am", "2026-11-21 00:00"},
		{"Opus weekly limit reached ∙ resets Oct 31, 9am", "2027-10-31 09:00"},
		{"Opus weekly limit reached ∙ resets Nov 24", "2026-11-25 00:00"}, // some time on the 24th
		{"Opus weekly limit reached ∙ resets Nov 20", "2026-11-21 00:00"},
		{"Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max or turn on /extra-usage", "2026-11-21 01:00"},
		{"You've hit your limit · resets 10pm (America/New_York)", "2026-11-21 03:00"},
		{"You've hit your limit · resets Jan 30, 11:30am (Asia/Calcutta)", "2027-01-30 06:00"},
		{"You've hit your limit · resets May 5 at 9pm (America/New_York)", "2027-05-06 01:00"},
		{"You've hit your limit · resets 10pm ", "2026-11-20 22:00"},
		{"You've hit your session limit · resets 12:50am (America/Los_Angeles)", "2026-11-21 08:50"},
		{"You've hit your weekly limit · resets Jun 7, 4pm (Europe/Rome)", "2027-06-07 14:00"},
		{"You've hit your weekly limit · resets Jul 27 at 4:30am (Asia/Calcutta)", "2027-07-26 23:00"},
		{"You've hit your weekly limit · resets Sep 15 at 7pm", "2027-09-15 19:00"},
		{"You've hit your weekly limit · resets 4am (Europe/Madrid)", "2026-11-21 03:00"},
		{"You're out of extra usage · resets 1pm (UTC)", "2026-11-20 13:00"},
		{"You're out of extra usage · resets Feb 4, 8pm (Europe/Budapest)", "2027-02-04 19:00"},
		{"You're out of usage credits · resets 1pm (Etc/GMT+5)", "2026-11-20 18:00"},
		{"You've hit your monthly spend limit · your session limit resets 2:40pm (Asia/Jakarta)", "2026-11-21 07:40"},
		{"You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.", "2026-11-20 09:30"},
		{"You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", "2026-12-01 00:00"},
		{"usage limit reached · resets 2026-11-20T12:30:00+02:00", "2026-11-20 10:30"},
		{"resets 8:59am (UTC)", "2026-11-20 09:01"}, // the seconds were cut off, so it may be still to come
		{"resets 8:57am (UTC)", "2026-11-21 08:57"},
		{"resets Nov 20, 8am (UTC)", "2026-11-20 09:01"},
		{"resets 12pm (UTC)", "2026-11-20 12:00"},
		// No time in them.
		{"You've hit your org's monthly usage limit", ""},
		{"You've hit your monthly spend limit · raise it at claude.ai/settings/usage?from=cli", ""},
		{"Credit balance is too low", ""},
		{"API Error: Rate limit reached", ""},
		{"resets 25pm", ""},
		{"resets 13:70pm (UTC)", ""},
		{"resets 9am (Mars/Olympus)", ""},
		{"resets Xyz 3, 9am", ""},
		{"", ""},
	} {
		got, ok := resetTime(c.text, now)
		if c.want == "" {
			if ok {
				t.Errorf("%q: got %s, wanted none", c.text, got)
			}
			continue
		}
		if !ok || !got.Equal(utc(c.want)) {
			t.Errorf("%q: got %s (%v), wanted %s", c.text, got, ok, c.want)
		}
	}
}

// TestResetAcrossYears resolves a date at the turn of the year, in a zone where it is another year already.
func TestResetAcrossYears(t *testing.T) {
	now := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"resets Jan 1, 9am (UTC)":          "2027-01-01T09:00:00Z",
		"resets 9am (Asia/Tokyo)":          "2027-01-01T00:00:00Z",
		"resets Jan 1 at 8am (Asia/Tokyo)": "2026-12-31T23:31:00Z",
		"resets Dec 31, 11:45pm (UTC)":     "2026-12-31T23:45:00Z",
	} {
		got, ok := resetTime(text, now)
		if !ok || got.Format(time.RFC3339) != want {
			t.Errorf("%q: got %s, wanted %s", text, got.Format(time.RFC3339), want)
		}
	}
}

func TestLimitTexts(t *testing.T) {
	for _, text := range []string{
		"Claude AI usage limit reached|1749924000", "5-hour limit reached ∙ resets 9pm", "Weekly limit reached · resets 10am (Asia/Seoul)",
		"You've hit your limit · resets 10pm", "You’ve hit your limit for Claude messages.", "You've reached your usage limit",
		"You're out of usage credits · resets 1pm (UTC)", "You're out of extra usage · resets 1pm (UTC)",
		"You've hit your org's monthly usage limit", "You've hit your channel's monthly spend limit", "You've hit your team's pooled group budget",
		"Your org is out of usage · add funds to continue", "Your org is out of usage · contact your admin",
		"Your seat type doesn't include usage credits", "Your seat type doesn't include extra usage", "Your usage allocation has been disabled by your admin",
		"Your group's usage limit is set to $0", "Fable 5 requires usage credits", "Opus 5.5 requires usage credits.",
		"You have reached your specified workspace API usage limits. You will regain access on 2025-06-01 at 00:00 UTC.",
		"Credit balance is too low", "API Error: Rate limit reached",
	} {
		if !isLimitText(text) {
			t.Errorf("%q is a limit", text)
		}
	}
	for _, text := range []string{
		"You've used 93% of your weekly limit · resets Nov 23", "Approaching your weekly limit", "You're close to your limit",
		"You're now using usage credits", "You're now using extra usage", "Now using credits", "API Error: 500 Internal server error", "",
	} {
		if isLimitText(text) {
			t.Errorf("%q is no limit", text)
		}
	}
}
