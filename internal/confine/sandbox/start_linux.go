package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

const (
	errorsFile = "errors" // output of the launcher and bubblewrap
	passwdFile = "passwd"
)

// startTime is how long a box may take until its program runs: mounting takes milliseconds, unless a disk hangs.
const startTime = time.Minute

// launcher runs in the host's shell, with arguments only, and becomes the outer bubblewrap. It ignores TERM, which the
// program gets as well: bubblewrap would exit at once and kill the program. The program's stdio moves to descriptors
// that bubblewrap does not keep open. The box is the first to be killed when memory runs out.
const launcher = `trap '' TERM
exec 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>"$1"
shift
echo 500 >/proc/self/oom_score_adj
while [ "$1" != -- ]; do echo 0 >"$1" || exit 1; shift; done
shift
exec "$@"`

// Start starts s confined by c. It behaves like process.Start; Process.Pid is that of the outer bubblewrap. Forwarded
// ports are closed and temporary files removed before Process.Wait returns.
func (b *Box) Start(ctx context.Context, s process.Spec, c Spec) (*process.Process, error) {
	sess, spec, err := b.prepare(s, c)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Path, err)
	}
	go sess.serve()
	p, err := process.Start(ctx, spec)
	if err != nil {
		sess.abort()
		return nil, rename(err, s.Path)
	}
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case <-sess.started:
	case <-timer.C:
		sess.settle(fault.New(fault.Infra, "sandbox: nothing has started within %s", startTime))
	}
	if sess.runs() {
		return p, nil
	}
	p.Stop() // not Wait: the launcher may hang
	return nil, sess.why(ctx, s.Path)
}

// Run runs s confined by c to its end. It behaves like process.Run.
func (b *Box) Run(ctx context.Context, s process.Spec, l process.Limits, c Spec) (process.Result, error) {
	sess, spec, err := b.prepare(s, c)
	if err != nil {
		return process.Result{}, fmt.Errorf("start %s: %w", s.Path, err)
	}
	go sess.serve()
	r, err := process.Run(ctx, spec, l)
	if sess.abort() {
		return r, rename(err, s.Path)
	}
	if !sess.runs() && err == nil && !r.TimedOut {
		return process.Result{}, sess.why(ctx, s.Path)
	}
	return r, err
}

// rename makes an error name the program instead of the launcher's shell.
func rename(err error, path string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("start %s in a sandbox: %w", path, err)
}

// abort cleans up after process.Start has failed. It returns false when a process was started.
func (s *session) abort() bool {
	s.mu.Lock()
	over := s.over
	s.over = true
	s.mu.Unlock()
	if over {
		return false
	}
	s.socket.Close()
	<-s.served
	s.clean()
	return true
}

func (s *session) runs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// why is the error of a failed start. It matches fs.ErrNotExist and fs.ErrPermission as that of process.Start.
func (s *session) why(ctx context.Context, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return fmt.Errorf("start %s: %w", path, context.Cause(ctx))
	}
	if s.failure == nil {
		s.failure = errors.New("sandbox ended before the program ran")
	}
	return fmt.Errorf("start %s: %w", path, s.failure)
}
