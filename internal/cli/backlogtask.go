package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// job is the task of a file.
type job struct {
	id, run string
	file    string
	sum     string // of the text that the task has had
	title   string
	before  bool // it was begun by somebody else

	line    int    // of its log, that was shown last
	started bool   // its turn has come, and that was told
	stopped string // why it stands still, as it was told
	asks    bool   // it waits for a person
	unpark  context.CancelFunc
}

// news is what has become of a parked task.
type news struct {
	j *job
	snapshot
}

func historyBegin(namespace, id, run string) *workflowservice.GetWorkflowExecutionHistoryRequest {
	return &workflowservice.GetWorkflowExecutionHistoryRequest{Namespace: namespace, MaximumPageSize: 1,
		Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: run}}
}

// jobOf reads the first event of a task. It gives nil for what is no task of this folder.
func (w *watching) jobOf(id string, r *workflowservice.GetWorkflowExecutionHistoryResponse) *job {
	events := r.GetHistory().GetEvents()
	if len(events) == 0 {
		return nil
	}
	began := events[0].GetWorkflowExecutionStartedEventAttributes()
	var in task.Input
	if began.GetWorkflowType().GetName() != signals.CodingTask || converter.GetDefaultDataConverter().FromPayloads(began.GetInput(), &in) != nil {
		return nil
	}
	o := in.Origin
	if o == nil || o.Source != string(intake.Backlog) || backlogFolder(o.Path) != w.folder || !samePath(in.Repository, w.repo.Path) {
		return nil
	}
	return &job{id: id, run: began.GetOriginalExecutionRunId(), before: true, file: o.Key, sum: o.Sum, title: headline(in.Task)}
}

// headline is the first line with words of a file, without the signs of a heading.
func headline(text string) string {
	return clip(strings.TrimSpace(strings.Trim(firstLine(text), "#")), 200)
}

// errParked ends the following of a task that waits for a person and holds up nobody.
var errParked = errors.New("parked")

// work follows a task until it has ended, or is parked.
func (w *watching) work(ctx context.Context, j *job) error {
	f := w.p.follower(j.id, w.client)
	f.screen, f.line = w.screen, j.line
	f.among = &among{trouble: w.troubled, suspended: func(s *signals.Status) error { return w.stands(j, s) }, sees: func(s *signals.Status) {
		w.sees(j, s)
		select {
		case n := <-w.news:
			w.hears(n)
		default:
		}
	}}
	status, err := f.follow(ctx, &watcher{client: w.client, id: j.id, run: j.run, clock: w.p.clock})
	j.line = f.line
	switch {
	case errors.Is(err, errParked):
		w.park(ctx, j)
		return nil
	case status != nil && isEnded(status):
		w.ends(j, status, err)
		return nil
	case errors.Is(err, errInterrupted):
		return err
	}
	if err != nil { // gone from the server, or nothing can be printed
		w.tell(event{Type: eventError, File: j.file, Task: j.id}, j.file+": "+err.Error())
	}
	return nil
}

// sees tells what has changed with a task.
func (w *watching) sees(j *job, s *signals.Status) {
	switch s.Phase {
	case task.Queued, task.Suspended, task.Ended:
	default:
		if !j.started {
			j.started = true
			w.tell(event{Type: eventStarted, File: j.file, Task: j.id}, path.Join(w.folder, j.file)+" is worked on")
		}
	}
	if s.Phase != task.Suspended && s.Phase != task.Ended {
		w.lifts(j, "it goes on")
	}
	if s.NeedsHuman && !j.asks && s.Phase != task.Suspended {
		w.ring()
	}
	j.asks = s.NeedsHuman
}

// lifts tells that a task stands still no more.
func (w *watching) lifts(j *job, why string) {
	if j.stopped != "" {
		j.stopped = ""
		w.tell(event{Type: eventUnblocked, File: j.file, Task: j.id}, j.file+": "+why)
	}
}

// stands tells, once, why a task stands still and what lifts it.
func (w *watching) stands(j *job, s *signals.Status) error {
	if stop := string(s.Reason) + "\x00" + s.Detail; j.stopped != stop {
		j.stopped, j.asks = stop, true
		w.said = ""
		blocks := signals.Holds(s.Reason, string(intake.Backlog))
		text := j.file + ": no other file is begun until this is settled\n" + suspendedText(s)
		if s.Reason == signals.ReasonSpecIssue {
			text = fmt.Sprintf("%s: a question about the specification; no other file is begun until it is answered\n%s\nlongshift resume %s --note \"the answer\"\nlongshift abandon %s",
				j.file, strings.TrimSpace(plain(s.Detail)), j.id, j.id)
		} else if !blocks {
			text = j.file + ": other files are begun meanwhile\n" + suspendedText(s)
		}
		w.tell(event{Type: eventBlocked, File: j.file, Task: j.id, Reason: s.Reason, Blocks: blocks, Detail: s.Detail}, text)
		w.ring()
	}
	if signals.Holds(s.Reason, string(intake.Backlog)) {
		return nil
	}
	return errParked
}

// park lets a task wait for a person while others are followed. It is looked at now and then.
func (w *watching) park(ctx context.Context, j *job) {
	ctx, j.unpark = context.WithCancel(ctx)
	w.parked[j.id] = j
	slow := clock{w.p.clock.now, func(d time.Duration) <-chan time.Time { return w.p.clock.after(max(d, seldom)) }}
	watcher := &watcher{client: w.client, id: j.id, run: j.run, clock: slow}
	go func() {
		for s := range watcher.watch(ctx) {
			if !s.closed && (s.status == nil || s.status.Phase == task.Suspended && !signals.Holds(s.status.Reason, string(intake.Backlog))) {
				continue
			}
			select {
			case w.news <- news{j, s}:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// hears takes news of a parked task, and tells whether there is something to do now.
func (w *watching) hears(n news) bool {
	switch {
	case w.parked[n.j.id] != n.j: // it goes on already
		return false
	case n.closed:
		w.leave(n.j)
		if n.status == nil {
			w.tell(event{Type: eventError, File: n.j.file, Task: n.j.id}, n.err.Error())
			return false
		}
		w.ends(n.j, n.status, n.err)
		return true // its file may have been edited
	}
	w.leave(n.j)
	w.awake = append(w.awake, n.j)
	return true
}

func (w *watching) leave(j *job) {
	delete(w.parked, j.id)
	j.unpark()
}
