package tasks

import (
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// log shows the lines of the task's log that have not been shown.
func (f *follower) log(status *signals.Status) error {
	for _, l := range status.Log {
		if l.N <= f.line {
			continue
		}
		if f.line > 0 && l.N > f.line+1 {
			f.event("gap", fmt.Sprintf("%s left out; see `longshift logs %s`", term.Count(l.N-f.line-1, "line"), f.id))
		}
		f.line = l.N
		if f.printer.Format == term.FormatJSONL {
			value := map[string]any{"type": "log", "line": l}
			if f.options.Among != nil {
				value["task"] = f.id
			}
			if err := f.printer.Encode(value, ""); err != nil {
				return fmt.Errorf("write output: %w", err)
			}
			continue
		}
		if status.Notify == nil || f.options.verbose || status.Notify.Wants(l.Kind) {
			showEntry(f.screen, l.Entry)
		}
	}
	return nil
}

// work shows what a session does, where that is wanted. Sessions are asked every second or so: what took less is in their logs only.
func (f *follower) work(b *signals.Heartbeat) {
	if b == nil || !f.options.verbose || !f.printer.IsText() || b.Activity == "" || b.Activity == f.activity {
		return
	}
	f.activity = b.Activity
	f.event(string(b.Role), b.Activity)
}

// longWait is how long a step waits until a line says so, where no live line does. Tasks that share a host wait for each other all the
// time.
const longWait = 30 * time.Second

// stepWait is what a step of the task waits for.
type stepWait struct {
	text, said string
	since      time.Time
}

// lasts tells, once for each text, that the step has waited for the same for a while.
func (w *stepWait) lasts(text string, now time.Time) bool {
	if text != w.text {
		w.text, w.since = text, now
	}
	if text == "" || text == w.said || now.Sub(w.since) < longWait {
		return false
	}
	w.said = text
	return true
}

// event shows a line that is not of the task's log.
func (f *follower) event(kind, text string) { ShowEvent(f.screen, f.clock.Now(), kind, text) }

// ShowEvent shows a line of the command's own.
func ShowEvent(s *term.Screen, now time.Time, kind, text string) {
	showEntry(s, task.Entry{Time: now, Kind: kind, Text: text})
}

// showEntry shows one permanent line: time, kind, text. More lines of text are put below it.
func showEntry(s *term.Screen, e task.Entry) {
	s.Entry(fmt.Sprintf("%s  %-12s ", e.Time.Local().Format("15:04:05"), e.Kind), term.Indent(term.Plain(e.Text), 23))
}
