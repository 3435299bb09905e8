package term

import (
	"bytes"
	"testing"
)

func TestColored(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"a terminal", true, nil, true},
		{"no terminal", false, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, false},
		{"an empty NO_COLOR", true, map[string]string{"NO_COLOR": ""}, true},
		{"CLICOLOR=0", true, map[string]string{"CLICOLOR": "0"}, false},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, false},
		{"forced", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"forced by 0", false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			p := NewPrinter(Streams{Out: &out, Err: &errs, OutTTY: c.terminal, ErrTTY: c.terminal}.Colored(func(n string) string { return c.env[n] }))
			painted, marked := p.Paint(Good, "ok"), "10:00:00  note         "
			p.Screen().Entry(marked, "text \x1b[31m")
			want, line := "ok", marked+"text [31m"
			if c.want {
				want, line = "\x1b[32mok\x1b[0m", "\x1b[2m"+marked+"\x1b[0mtext [31m"
			}
			if got := bytes.Trim(bytes.TrimPrefix(errs.Bytes(), []byte(EraseLine)), "\r\n"); painted != want || string(got) != line {
				t.Errorf("%q, %q", painted, got)
			}
			if p.Format = FormatJSON; p.Paint(Good, "ok") != "ok" {
				t.Error("JSON with colours")
			}
		})
	}
}
