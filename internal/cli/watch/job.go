package watch

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// job is the task of a file, and what was reported of it.
type job struct {
	id, run string
	file    string
	sum     string // of the text that the task was given
	title   string
	before  bool // it was started by another process

	line    int    // number of the last log line shown
	started bool   // its start was reported
	stopped string // why it is blocked, as it was reported
	asks    bool   // it waits for a person
}

// jobOf reads the first event of a task. It returns nil for a workflow that is no task of the folder.
func jobOf(b backlog, id string, r *workflowservice.GetWorkflowExecutionHistoryResponse) *job {
	events := r.GetHistory().GetEvents()
	if len(events) == 0 {
		return nil
	}
	began := events[0].GetWorkflowExecutionStartedEventAttributes()
	var in task.Input
	if began.GetWorkflowType().GetName() != signals.CodingTask ||
		converter.GetDefaultDataConverter().FromPayloads(began.GetInput(), &in) != nil {
		return nil
	}
	o := in.Origin
	if o == nil || o.Source != string(intake.Backlog) || !b.is(in.Repository, o.Path) {
		return nil
	}
	return &job{id: id, run: began.GetOriginalExecutionRunId(), before: true, file: o.Key, sum: o.Sum, title: headline(in.Task)}
}

// headline is the first line with words of a file, without the signs of a heading.
func headline(text string) string {
	return excerpt.Clip(strings.TrimSpace(strings.Trim(term.FirstLine(text), "#")), 200)
}

// found reports that a file has its task. web is the task's page.
func (j *job) found(r *reporter, web string) {
	r.waitAgain("")
	text := j.file + ": " + j.title + "\ntask " + j.id
	if j.before {
		text += " runs already"
	}
	if web != "" {
		text += "\n" + web
	}
	r.event(event{Type: eventFound, File: j.file, Title: j.title, Task: j.id, Run: j.run, Web: web, Running: j.before}, text)
}

// status reports what has changed with the task.
func (j *job) status(r *reporter, folder string, s *signals.Status) {
	switch s.Phase {
	case task.Queued, task.Suspended, task.Ended:
	default:
		if !j.started {
			j.started = true
			r.event(event{Type: eventStarted, File: j.file, Task: j.id}, path.Join(folder, j.file)+" is worked on")
		}
	}
	if s.Phase != task.Suspended && s.Phase != task.Ended {
		j.unblocked(r, "it continues")
	}
	if s.NeedsHuman && !j.asks && s.Phase != task.Suspended {
		r.ring()
	}
	j.asks = s.NeedsHuman
}

// unblocked reports that the task is blocked no more.
func (j *job) unblocked(r *reporter, why string) {
	if j.stopped != "" {
		j.stopped = ""
		r.event(event{Type: eventUnblocked, File: j.file, Task: j.id}, j.file+": "+why)
	}
}

// errParked ends the following of a task that waits for a person and blocks no other.
var errParked = errors.New("parked")

// asks are the reasons that an answer settles.
var asks = map[signals.Reason]string{
	signals.ReasonSpecIssue: "a question about the specification", signals.ReasonQuestion: "a question of a session",
}

// suspended reports, once, why the task is blocked and what lifts that. It returns errParked where other files are started meanwhile.
func (j *job) suspended(r *reporter, s *signals.Status) error {
	blocks := signals.KeepsAdmission(s.Reason, string(intake.Backlog))
	if stop := string(s.Reason) + "\x00" + s.Detail; j.stopped != stop {
		j.stopped, j.asks = stop, true
		r.waitAgain("")
		text := j.file + ": no other file is started until this is settled\n" + tasks.SuspendedText(s)
		if about := asks[s.Reason]; about != "" {
			text = fmt.Sprintf("%s: %s; no other file is started until it is answered\n%s\n"+
				"longshift resume %s --note \"the answer\"\nlongshift abandon %s", j.file, about, strings.TrimSpace(term.Plain(s.Detail)), j.id, j.id)
		} else if !blocks {
			text = j.file + ": other files are started meanwhile\n" + tasks.SuspendedText(s)
		}
		r.event(event{Type: eventBlocked, File: j.file, Task: j.id, Reason: s.Reason, Blocks: blocks, Detail: s.Detail}, text)
		r.ring()
	}
	if blocks {
		return nil
	}
	return errParked
}

// ended reports the outcome of the task, and whether its file was removed or edited meanwhile.
func (j *job) ended(r *reporter, s *signals.Status, err error, removed, edited bool) {
	r.waitAgain("")
	if err != nil && s.Detail == "" {
		s.Detail = err.Error()
	}
	j.unblocked(r, "its task has ended")
	took := tasks.EndOf(s, r.now()).Sub(s.Started)
	if s.Started.IsZero() {
		took = 0
	}
	text := j.file + ": " + endText(s, took)
	if removed {
		text += "; the file is removed"
	}
	e := event{Type: eventEnded, File: j.file, Title: j.title, Task: j.id, Outcome: s.Outcome, Removed: removed, Sessions: len(s.Sessions),
		CostUSD: s.Usage.CostUSD, Seconds: took.Round(time.Second).Seconds(), Detail: s.Detail}
	if s.PullRequest != nil {
		e.PullRequest = s.PullRequest.URL
	}
	r.event(e, text)
	if !removed {
		why := "stays where it is; edit it to have it worked on again, or remove it"
		if edited {
			why = "was edited meanwhile and is kept: it is new work"
		}
		r.event(event{Type: eventKept, File: j.file, Task: j.id, Outcome: s.Outcome, Edited: edited}, j.file+" "+why)
	}
	r.ring()
}

// failed reports that the task can't be followed.
func (j *job) failed(r *reporter, text string) {
	r.event(event{Type: eventError, File: j.file, Task: j.id}, text)
}
