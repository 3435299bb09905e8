package tasks

import (
	"context"
	"io"
	"testing"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
)

func fakeViewer(c *clitest.Terminal) *Viewer {
	streams, env := c.Streams(), c.Environ()
	config := environ.NewConfig(env)
	return NewViewer(New(server.NewConnector(env, config), term.NewPrinter(streams)), config, term.NewInput(streams), environ.SystemClock())
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
