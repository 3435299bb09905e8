package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func fakeViewer(c *clitest.Terminal) *Viewer {
	streams, env := c.Streams(), c.Environ()
	config, holds := environ.NewConfig(env), func(text string) bool { return strings.Contains(text, "sk-very-secret") }
	return NewViewer(New(server.NewConnector(env, config), term.NewPrinter(streams), holds), config, term.NewInput(streams), environ.SystemClock())
}

// followed is a follower at work in a test's bubble of fake time.
type followed struct {
	*clitest.Terminal
	task   *clitest.Task
	keys   *io.PipeWriter
	stop   context.CancelFunc
	done   chan struct{}
	status *signals.Status
	err    error
	f      *follower
	viewer *Viewer
}

// startFollowing follows the task. With terminal there is a live line and keys can be pressed.
func startFollowing(t *testing.T, ft *clitest.Task, terminal bool, o ...FollowOptions) *followed {
	c := clitest.NewTerminal(t)
	f := &followed{Terminal: c, task: ft, done: make(chan struct{})}
	if terminal {
		c.TTY, c.Raw = true, true
		c.In, f.keys = io.Pipe()
	}
	f.viewer = fakeViewer(c)
	ctx, stop := context.WithCancel(t.Context())
	f.stop = stop
	f.f = f.viewer.Follower("web-1", ft, f.viewer.printer.Screen(), append(o, FollowOptions{})[0])
	go func() {
		defer close(f.done)
		f.status, f.err = f.f.Follow(ctx, NewPoller(ft, "web-1", "run-1", f.viewer.clock))
	}()
	return f
}

func (f *followed) press(keys string) {
	if _, err := io.WriteString(f.keys, keys); err != nil {
		f.T.Error(err)
	}
}

// end waits for the follower and lets its keyboard go.
func (f *followed) end() {
	<-f.done
	f.stop()
	if f.keys != nil {
		f.keys.Close()
	}
}

// whole is a client of which only what watches a task answers.
type whole struct {
	client.Client
	task *clitest.Task
}

func (w whole) DescribeWorkflowExecution(ctx context.Context, id, run string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return w.task.DescribeWorkflowExecution(ctx, id, run)
}

func (w whole) QueryWorkflow(ctx context.Context, id, run, query string, args ...any) (converter.EncodedValue, error) {
	return w.task.QueryWorkflow(ctx, id, run, query, args...)
}

// TestFollowTellsProgramsWhatGoesOn: where the task goes on without the command, a program is given its last status, and the exit code says why.
func TestFollowTellsProgramsWhatGoesOn(t *testing.T) {
	for _, format := range []string{term.FormatText, term.FormatJSON, term.FormatJSONL} {
		for _, name := range []string{"suspended", "interrupted", "interrupted before an answer"} {
			t.Run(format+" "+name, func(t *testing.T) {
				why, _, unanswered := strings.Cut(name, " ")
				synctest.Test(t, func(t *testing.T) {
					ft, c := clitest.NewTask(task.Planning), clitest.NewTerminal(t)
					if unanswered {
						ft.Worker = context.DeadlineExceeded
					}
					v := fakeViewer(c)
					v.printer.Format = format
					ctx, stop := context.WithCancel(t.Context())
					ended := make(chan error)
					go func() { ended <- v.Follow(ctx, whole{task: ft}, Found{ID: "web-1", Run: "run-1"}, FollowFlags{}) }()
					clitest.Pass(time.Second)
					if why == "suspended" {
						ft.Set(func(f *clitest.Task) { f.Status.Phase, f.Status.Reason = task.Suspended, signals.ReasonSpecIssue })
						clitest.Pass(5 * time.Second)
					} else {
						stop()
					}
					err := <-ended
					stop()
					var silent term.Exit
					if why == "suspended" && (!errors.As(err, &silent) || silent.Code != fault.ExitSuspended) || why == "interrupted" && err == nil {
						t.Errorf("ended with %v", err)
					}
					lines := strings.Split(strings.TrimSpace(c.Out.String()), "\n")
					var said struct {
						Type       string         `json:"type"`
						Status     signals.Status `json:"status"`
						WorkflowID string         `json:"workflowId"`
					}
					switch format {
					case term.FormatText:
						if c.Out.String() != "" {
							t.Errorf("said %q", c.Out.String())
						}
					case term.FormatJSON:
						if err := json.Unmarshal([]byte(c.Out.String()), &said); err != nil || said.WorkflowID != "web-1" {
							t.Errorf("%v in %q", err, c.Out.String())
						}
					default:
						if err := json.Unmarshal([]byte(lines[len(lines)-1]), &said); err != nil || said.Type != why || said.Status.WorkflowID != "web-1" {
							t.Errorf("%v in %q", err, c.Out.String())
						}
					}
				})
			})
		}
	}
}

// TestEndedSaysThatNobodyAnswers: who waits for the end of a task is told why it does not come.
func TestEndedSaysThatNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ft, c := clitest.NewTask(task.Planning), clitest.NewTerminal(t)
		ft.Server = errors.New("connection refused")
		ended := make(chan error)
		go func() { ended <- fakeViewer(c).Ended(t.Context(), ft, Found{ID: "web-1", Run: "run-1"}) }()
		clitest.Pass(20 * time.Second)
		if n := strings.Count(c.Errs.String(), "the Temporal server does not answer"); n != 1 {
			t.Errorf("said %d times: %q", n, c.Errs.String())
		}
		ft.Set(func(f *clitest.Task) { f.Server = nil })
		ft.End(task.PullRequest)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
