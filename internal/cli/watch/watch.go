package watch

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/intake/dirwatch"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/internal/visibility"
	"github.com/longshift/longshift/signals"
)

const (
	pollLater  = time.Second // on top of the quiet time: the worker counts it by the times of the files, which are less exact
	againLater = 300 * time.Millisecond
	seldom     = 10 * time.Second // between polls of what is not followed: parked tasks, rounds on pull requests
)

// serverClient is what watching a backlog needs of the client.
type serverClient interface {
	tasks.PollClient
	tasks.Messenger
	tasks.Starter
	visibility.Lister
	intakes.Client
	WorkflowService() workflowservice.WorkflowServiceClient
}

// watching works off a backlog and follows it.
type watching struct {
	backlog backlog
	in      signals.IntakeInput
	quiet   time.Duration
	busy    bool // other tasks of the repository are at work, and leave no room for a file
	changes <-chan dirwatch.Change
	connect func(context.Context) (serverClient, error)
	server  *server.Connector
	viewer  *tasks.Viewer
	clock   environ.Clock
	screen  *term.Screen
	report  *reporter
	calls   *caller

	client   serverClient // this and what uses it are set when the server answers
	finder   *finder
	schedule *schedule
	poller   *poller
	parking  *parking
	now      *job      // that is followed; nil while waiting
	wrote    time.Time // when a file was last written to
	told     time.Time // of these, when one was that the intake was told of
}

// run watches until it is interrupted.
func (w *watching) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer w.screen.Clear()
	w.report.stopWith(stop)
	err := w.begin(ctx)
	for err == nil {
		if w.now, err = w.next(ctx); err == nil {
			err = w.follow(ctx, w.now)
		}
	}
	if broken := w.report.err(); broken != nil {
		return broken
	}
	if errors.Is(err, term.ErrInterrupted) || ctx.Err() != nil {
		return w.interrupted()
	}
	return err
}

// begin connects, and makes the parts that need the client.
func (w *watching) begin(ctx context.Context) error {
	since := w.clock.Now()
	c, err := w.calls.connect(ctx, w.connect)
	if err != nil {
		return err
	}
	w.client = c
	w.finder = &finder{client: c, calls: w.calls, report: w.report, server: w.server, backlog: w.backlog, intake: w.in.Name, since: since,
		followed: map[string]bool{}, strangers: map[string]bool{}}
	w.schedule = &schedule{client: c, calls: w.calls, report: w.report, backlog: w.backlog}
	w.poller = &poller{client: c, calls: w.calls, report: w.report, screen: w.screen, clock: w.clock, explain: w.server.Explain,
		backlog: w.backlog, in: w.in}
	w.parking = newParking(c, w.clock)
	return nil
}

func (w *watching) interrupted() error {
	switch {
	case w.now != nil:
		return w.report.interrupted(w.now.id, 0)
	case w.parking != nil:
		return w.report.interrupted("", w.parking.count())
	}
	return w.report.interrupted("", 0)
}

// next waits for a task to follow: one that runs already, or that of a new file.
func (w *watching) next(ctx context.Context) (*job, error) {
	w.now = nil
	for {
		w.screen.Set("⚡ Looking at " + w.backlog.path + "...")
		if j := w.finder.take(); j != nil {
			return j, nil
		}
		if err := w.schedule.check(ctx); err != nil {
			return nil, err
		}
		j, err := w.finder.running(ctx, w.schedule.name(), w.parking.has)
		if j != nil || err != nil {
			return j, err
		}
		var due time.Time
		if w.schedule.polls() {
			err = w.tell(ctx)
		} else {
			j, due, err = w.poll(ctx)
		}
		if j != nil || err != nil {
			return j, err
		}
		if err := w.idle(ctx, due); err != nil {
			return nil, err
		}
	}
}

// follow follows a task until it has ended, or is parked.
func (w *watching) follow(ctx context.Context, j *job) error {
	one := &tasks.Among{Trouble: w.calls.troubled, Suspended: func(s *signals.Status) error { return j.suspended(w.report, s) },
		Status: func(s *signals.Status) {
			j.status(w.report, w.backlog.path, s)
			select {
			case n := <-w.parking.changes():
				w.onNews(n)
			default:
			}
		}}
	f := w.viewer.Follower(j.id, w.client, w.screen, tasks.FollowOptions{Among: one, Line: j.line})
	status, err := f.Follow(ctx, w.viewer.Poller(w.client, tasks.Found{ID: j.id, Run: j.run}))
	j.line = f.LastLine()
	switch {
	case errors.Is(err, errParked):
		w.parking.park(ctx, j)
		return nil
	case status != nil && tasks.IsEnded(status):
		w.ended(j, status, err)
		return nil
	case errors.Is(err, term.ErrInterrupted):
		return err
	}
	if err != nil { // gone from the server, or nothing can be printed
		j.failed(w.report, j.file+": "+err.Error())
	}
	return nil
}

func (w *watching) ended(j *job, s *signals.Status, err error) {
	removed, edited := w.backlog.after(j.file, j.sum)
	j.ended(w.report, s, err, removed, edited)
}

// onNews takes news of a parked task, and tells whether there is something to do now.
func (w *watching) onNews(n news) bool {
	switch {
	case !w.parking.leave(n): // it goes on already
		return false
	case !n.Closed:
		w.finder.add(n.j)
	case n.Status == nil:
		n.j.failed(w.report, n.Err.Error())
		return false
	default:
		w.ended(n.j, n.Status, n.Err)
	}
	return true // also for one that has ended: its file may have been edited
}
