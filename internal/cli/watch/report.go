package watch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// reporter shows the events of a watch: as lines of JSON, or as text for people.
type reporter struct {
	printer *term.Printer
	screen  *term.Screen
	now     func() time.Time
	bell    bool
	stop    context.CancelFunc
	broken  error             // why nothing can be printed
	waits   string            // the last text about waiting
	left    map[string]string // why files were left alone, by their names
}

func newReporter(p *term.Printer, s *term.Screen, now func() time.Time, bell bool) *reporter {
	return &reporter{printer: p, screen: s, now: now, bell: bell, stop: func() {}, left: map[string]string{}}
}

// stopWith sets what ends the watch when nothing can be printed any more.
func (r *reporter) stopWith(stop context.CancelFunc) { r.stop = stop }

// err is why nothing can be printed, nil for nothing.
func (r *reporter) err() error { return r.broken }

// event shows one event, with the text for people.
func (r *reporter) event(e event, text string) {
	e.Time = r.now()
	if r.printer.IsText() {
		kind := e.Type
		if e.Blocks {
			kind = strings.ToUpper(kind)
		}
		tasks.ShowEvent(r.screen, e.Time, kind, text)
		return
	}
	if e.Detail == "" {
		e.Detail = text
	}
	e.Time = e.Time.UTC()
	e.Detail, e.Title = term.Plain(e.Detail), term.Plain(e.Title)
	if err := r.printer.Encode(e, ""); err != nil && r.broken == nil {
		r.broken = fmt.Errorf("write output: %w", err)
		r.stop()
	}
}

// ring rings the terminal's bell, where one is wanted.
func (r *reporter) ring() {
	if r.bell {
		r.screen.Bell()
	}
}

// waiting reports, once, that there is nothing to do.
func (r *reporter) waiting(text string, files []string) {
	if len(files) > 0 {
		text += "; kept as they are: " + excerpt.Clip(strings.Join(files, ", "), 500) + " (edit one to have it worked on again)"
	}
	if text == r.waits {
		return
	}
	r.waits = text
	r.event(event{Type: eventWaiting, Files: files}, text)
}

// waitAgain has the next wait reported, unless it is for the text that was just said in other words.
func (r *reporter) waitAgain(except string) { r.waits = except }

// leftAlone reports each file that a poll has left alone, once for each reason.
func (r *reporter) leftAlone(all []signals.Skipped) {
	now := map[string]string{}
	for _, l := range all {
		now[l.Key] = l.Why
		if r.left[l.Key] != l.Why {
			r.event(event{Type: eventKept, File: l.Key}, l.Key+" is left alone: "+l.Why)
		}
	}
	r.left = now
}

// interrupted says in one line what goes on after Ctrl-C: the task that was followed, "" for none, and those that wait for a person.
func (r *reporter) interrupted(id string, parked int) error {
	r.screen.Clear()
	if !r.printer.IsText() {
		return term.ErrInterrupted
	}
	switch {
	case id != "":
		r.printer.Say("stopped watching; task %s continues: longshift status -f %s", id, id)
	case parked > 0:
		r.printer.Say("stopped watching; %s for somebody: longshift status", waitsFor(parked))
	default:
		r.printer.Say("stopped watching; no task runs")
	}
	return term.Exit{Code: fault.ExitInterrupt}
}

func waitsFor(tasks int) string {
	if tasks == 1 {
		return "a task waits"
	}
	return term.Count(tasks, "task") + " wait"
}

// endText is the outcome of a task in one line.
func endText(s *signals.Status, took time.Duration) string {
	parts := []string{tasks.OutcomeText(s)}
	if s.Detail != "" && s.Outcome != task.PullRequest {
		parts[0] += ": " + excerpt.Clip(term.FirstLine(s.Detail), 300)
	}
	if s.Plan != nil && len(s.Plan.Deliverables) > 0 {
		passed, _, _ := s.Plan.Counts()
		parts = append(parts, fmt.Sprintf("%d of %s", passed, term.Count(len(s.Plan.Deliverables), "deliverable")))
	}
	return strings.Join(append(parts, term.Count(len(s.Sessions), "session"), term.USD(s.Usage.CostUSD), term.Duration(took)), " · ")
}
