package cron

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	all := func(from, to int) []int { return span(from, to) }
	for text, want := range map[string][]Calendar{
		"0 9 * * 1-5":              {{[]int{0}, []int{9}, all(1, 31), all(1, 12), all(1, 5)}},
		" 0  9 *\t* mon-Fri ":      {{[]int{0}, []int{9}, all(1, 31), all(1, 12), all(1, 5)}},
		"0 */6 * * *":              {{[]int{0}, []int{0, 6, 12, 18}, all(1, 31), all(1, 12), all(0, 6)}},
		"*/25 * * * *":             {{[]int{0, 25, 50}, all(0, 23), all(1, 31), all(1, 12), all(0, 6)}},
		"5-20/15,59 8 1 jan,DEC *": {{[]int{5, 20, 59}, []int{8}, []int{1}, []int{1, 12}, all(0, 6)}},
		"30 8 * * 7":               {{[]int{30}, []int{8}, all(1, 31), all(1, 12), []int{0}}},
		"30 8 * * 5-7":             {{[]int{30}, []int{8}, all(1, 31), all(1, 12), []int{0, 5, 6}}},
		"30 8 * * sat-sun":         {{[]int{30}, []int{8}, all(1, 31), all(1, 12), []int{0, 6}}},
		"30 8 * * 0-7":             {{[]int{30}, []int{8}, all(1, 31), all(1, 12), all(0, 6)}},
		"30 8 * * 1-7/3":           {{[]int{30}, []int{8}, all(1, 31), all(1, 12), []int{0, 1, 4}}},
		"0 0 13 * fri": {{[]int{0}, []int{0}, []int{13}, all(1, 12), all(0, 6)},
			{[]int{0}, []int{0}, all(1, 31), all(1, 12), []int{5}}},
		"0 0 */2 * fri":   {{[]int{0}, []int{0}, []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}, all(1, 12), []int{5}}},
		"0 0 29 2 *":      {{[]int{0}, []int{0}, []int{29}, []int{2}, all(0, 6)}},
		"0 0 30,31 2,4 *": {{[]int{0}, []int{0}, []int{30, 31}, []int{2, 4}, all(0, 6)}},
		"0 0 31 2 mon":    {{[]int{0}, []int{0}, []int{31}, []int{2}, all(0, 6)}, {[]int{0}, []int{0}, all(1, 31), []int{2}, []int{1}}},
		"@hourly":         {{[]int{0}, all(0, 23), all(1, 31), all(1, 12), all(0, 6)}},
		"@Daily":          {{[]int{0}, []int{0}, all(1, 31), all(1, 12), all(0, 6)}},
		"@weekly":         {{[]int{0}, []int{0}, all(1, 31), all(1, 12), []int{0}}},
		"@monthly":        {{[]int{0}, []int{0}, []int{1}, all(1, 12), all(0, 6)}},
		"@yearly":         {{[]int{0}, []int{0}, []int{1}, []int{1}, all(0, 6)}},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, s.Calendars()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if s.String() != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%q became %q", text, s)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              `the schedule is missing; write five: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"`,
		"0 9 * * 1-5 2026":              `schedule "0 9 * * 1-5 2026": has 6 fields, not five; write five`,
		"0 0 9 * * 1-5 *":               `has 7 fields, not five`,
		"9":                             `has one field, not five`,
		"@every 5m":                     `schedule "@every 5m": @every is no point in time; write it in fields, such as "*/30 * * * *" for every half hour`,
		"@reboot":                       `schedule "@reboot": unknown name; use @hourly`,
		"CRON_TZ=Europe/Rome 0 9 * * *": `a time zone precedes the fields; take it out and give --timezone Europe/Rome`,
		"TZ=Mars 0 9 * * *":             `take it out and give --timezone Europe/Rome`,
		"0 9 * * * # fix":               `holds a comment, or # for a day of the week`,
		"0 9 * * 1#2":                   `holds a comment, or # for a day of the week`,
		"60 9 * * *":                    `schedule "60 9 * * *": the minute "60" is not within 0-59; write it like 0,30 or */15`,
		"0 24 * * *":                    `the hour "24" is not within 0-23; write it like 9 or 8-18/2`,
		"0 9 0 * *":                     `the day of the month "0" is not within 1-31`,
		"0 9 L * *":                     `the day of the month "L" has "L", which is no number`,
		"0 9 ? * *":                     `the day of the month "?" has "?", which is no number`,
		"0 9 * 13 *":                    `the month "13" is not within 1-12`,
		"0 9 * january *":               `the month "january" has "january", which is neither a number nor a name such as feb`,
		"0 9 * * 8":                     `the day of the week "8" is not within 0-7`,
		"0 9 * * mo":                    `neither a number nor a name such as mon`,
		"0 18-6 * * *":                  `the hour "18-6" runs backwards; 18-23,0-6 goes over the end`,
		"0 9 * * fri-mon":               `the day of the week "fri-mon" runs backwards`,
		"5/15 * * * *":                  `the minute "5/15" has a step behind a single value; a range such as 5-59/15 is meant`,
		"*/0 * * * *":                   `the minute "*/0" has a step that is no number from 1 up`,
		"*/ * * * *":                    `has a step that is no number from 1 up`,
		"*/+5 * * * *":                  `has a step that is no number from 1 up`,
		"*/90 * * * *":                  `the minute "*/90" has a step that leads out of 0-59 at once`,
		"0 9,,10 * * *":                 `the hour "9,,10" "" lacks a value`,
		"0 9- * * *":                    `lacks a value`,
		"-5 9 * * *":                    `lacks a value`,
		"1-2-3 9 * * *":                 `has "2-3", which is no number`,
		"+5 9 * * *":                    `which is no number`,
		"005 9 * * *":                   `which is no number`,
		"0 9 30 2 *":                    `schedule "0 9 30 2 *": no month in "2" has the day "30"; give a day that there is`,
		"0 9 31 apr,jun *":              `no month in "apr,jun" has the day "31"`,
		strings.Repeat("1", 300):        `has 300 bytes; write at most 200`,
	} {
		_, err := Parse(text)
		if err == nil || fault.KindOf(err) != fault.Input {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if line := err.Error() + "; " + fault.HintOf(err); !strings.Contains(line, want) || strings.Contains(line, "\n") {
			t.Errorf("%q:\n got %s\nwant %s", text, line, want)
		}
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

func TestZone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "UTC", "UTC": "UTC", "Europe/Rome": "Europe/Rome", "America/New_York": "America/New_York"} {
		if zone, err := Zone(name); err != nil || zone.String() != want {
			t.Errorf("%q: %v, %v", name, zone, err)
		}
	}
	for name, want := range map[string]string{
		"Local":        `time zone "Local": it is another one on every machine; give a name such as Europe/Rome or UTC`,
		"Mars/Olympus": `time zone "Mars/Olympus": unknown; give a name`, "../../etc/passwd": "unknown", "/etc/localtime": "unknown", "PDT": "unknown",
	} {
		_, err := Zone(name)
		if err == nil || fault.KindOf(err) != fault.Input || !strings.Contains(err.Error()+"; "+fault.HintOf(err), want) {
			t.Errorf("%q: %v; %s", name, err, fault.HintOf(err))
		}
	}
}
