package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workfile"
	"github.com/longshift/longshift/signals"
)

// The types of events.
const (
	eventWaiting   = "waiting"   // there is nothing to do
	eventFound     = "found"     // a file has its task, or the task of one runs already
	eventStarted   = "started"   // its turn has come
	eventBlocked   = "blocked"   // it waits for a person, and the files behind it with it where blocks is true
	eventUnblocked = "unblocked" // it does so no more
	eventEnded     = "ended"
	eventKept      = "kept"      // a file stays where it is, and why
	eventError     = "error"     // something does not work; it is tried again
	eventRecovered = "recovered" // it works again
)

// event is something that has changed.
type event struct {
	Type        string         `json:"type"`
	Time        time.Time      `json:"time"`
	File        string         `json:"file,omitempty"`
	Title       string         `json:"title,omitempty"`
	Task        string         `json:"task,omitempty"`
	Run         string         `json:"run,omitempty"`
	Web         string         `json:"web,omitempty"`
	Running     bool           `json:"running,omitempty"` // found: it was begun by somebody else, or by an earlier watch
	Reason      signals.Reason `json:"reason,omitempty"`
	Blocks      bool           `json:"blocks,omitempty"` // blocked: no other file is begun meanwhile
	Outcome     task.Outcome   `json:"outcome,omitempty"`
	PullRequest string         `json:"pullRequest,omitempty"`
	Removed     bool           `json:"removed,omitempty"` // ended: the file is gone
	Edited      bool           `json:"edited,omitempty"`  // kept: it is new work
	Sessions    int            `json:"sessions,omitempty"`
	CostUSD     float64        `json:"costUsd,omitempty"`
	Seconds     float64        `json:"seconds,omitempty"`
	Files       []string       `json:"files,omitempty"`  // waiting: what lies there and is not begun
	Detail      string         `json:"detail,omitempty"` // for people
}

// tell shows an event: as a line of JSON, or as the text.
func (w *watching) tell(e event, text string) {
	e.Time = w.p.clock.now()
	if w.p.format == formatText {
		kind := e.Type
		if e.Blocks {
			kind = strings.ToUpper(kind)
		}
		w.screen.line(logLine(task.Entry{Time: e.Time, Kind: kind, Text: text}))
		return
	}
	if e.Detail == "" {
		e.Detail = text
	}
	e.Time = e.Time.UTC()
	e.Detail, e.Title = plain(e.Detail), plain(e.Title)
	if err := w.p.encode(e, ""); err != nil && w.broken == nil {
		w.broken = fmt.Errorf("write output: %w", err)
		w.stop()
	}
}

// ring calls somebody who sits elsewhere.
func (w *watching) ring() {
	if w.rings {
		w.screen.bell()
	}
}

// waits tells, once, that there is nothing to do.
func (w *watching) waits() {
	text, files := "for files in "+w.folder, w.files()
	if w.scheduled != "" { // which files it will leave alone nobody here knows
		text, files = w.scheduledText(), nil
	}
	if len(files) > 0 {
		text += "; kept as they are: " + clip(strings.Join(files, ", "), 500) + " (edit one to have it worked on again)"
	}
	if text == w.said {
		return
	}
	w.said = text
	w.tell(event{Type: eventWaiting, Files: files}, text)
}

func (w *watching) scheduledText() string {
	return "for what intake " + w.scheduled + " begins in " + w.folder
}

// files are those that may be work, and that no task works on, by their names.
func (w *watching) files() []string {
	f, err := workfile.Open(w.repo, w.folder)
	if err != nil {
		return nil // the look says it
	}
	defer f.Close()
	names, err := f.Names()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(n string) bool { return !isOrder(n) || w.isParked(n) })
}

func (w *watching) isParked(file string) bool {
	for _, j := range w.parked {
		if j.file == file {
			return true
		}
	}
	return false
}

// leaves tells of each file that a look has left alone, once for each reason.
func (w *watching) leaves(all []signals.Left) {
	now := map[string]string{}
	for _, l := range all {
		now[l.Key] = l.Why
		if w.left[l.Key] != l.Why {
			w.tell(event{Type: eventKept, File: l.Key}, l.Key+" is left alone: "+l.Why)
		}
	}
	w.left = now
}

// finds tells that a file has its task.
func (w *watching) finds(j *job) {
	w.said, w.known[j.id] = "", true
	text := j.file + ": " + j.title + "\ntask " + j.id
	if j.before {
		text = j.file + ": " + j.title + "\ntask " + j.id + " runs already"
	}
	web := w.p.page(j.id, j.run)
	if web != "" {
		text += "\n" + web
	}
	w.tell(event{Type: eventFound, File: j.file, Title: j.title, Task: j.id, Run: j.run, Web: web, Running: j.before}, text)
}

// endText is how a task has ended, in one line.
func endText(s *signals.Status, took time.Duration) string {
	parts := []string{outcomeText(s)}
	if s.Detail != "" && s.Outcome != task.PullRequest {
		parts[0] += ": " + clip(firstLine(s.Detail), 300)
	}
	if s.Plan != nil && len(s.Plan.Deliverables) > 0 {
		passed, _, _ := s.Plan.Counts()
		parts = append(parts, fmt.Sprintf("%d of %s", passed, count(len(s.Plan.Deliverables), "deliverable")))
	}
	return strings.Join(append(parts, count(len(s.Sessions), "session"), usd(s.Usage.CostUSD), duration(took)), " · ")
}

// ends tells how the task of a file has ended, and what has become of the file.
func (w *watching) ends(j *job, s *signals.Status, err error) {
	w.said = ""
	if err != nil && s.Detail == "" {
		s.Detail = err.Error()
	}
	w.lifts(j, "its task has ended")
	took := endOf(s, w.p.clock.now()).Sub(s.Started)
	if s.Started.IsZero() {
		took = 0
	}
	removed, edited := w.fate(j)
	text := j.file + ": " + endText(s, took)
	if removed {
		text += "; the file is removed"
	}
	e := event{Type: eventEnded, File: j.file, Title: j.title, Task: j.id, Outcome: s.Outcome, Removed: removed, Sessions: len(s.Sessions),
		CostUSD: s.Usage.CostUSD, Seconds: took.Round(time.Second).Seconds(), Detail: s.Detail}
	if s.PullRequest != nil {
		e.PullRequest = s.PullRequest.URL
	}
	w.tell(e, text)
	if !removed {
		why := "stays where it is; edit it to have it worked on again, or remove it"
		if edited {
			why = "was edited meanwhile and is kept: it is new work"
		}
		w.tell(event{Type: eventKept, File: j.file, Task: j.id, Outcome: s.Outcome, Edited: edited}, j.file+" "+why)
	}
	w.ring()
}

// fate looks what has become of the file of a task that has ended.
func (w *watching) fate(j *job) (removed, edited bool) {
	f, err := workfile.Open(w.repo, w.folder)
	if err != nil {
		return false, false
	}
	defer f.Close()
	file, err := f.Read(j.file)
	if err != nil {
		return fault.KindOf(err) == fault.NotFound, false
	}
	return false, file.Sum() != j.sum
}
