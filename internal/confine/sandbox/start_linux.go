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
	errorsFile = "errors" // what the launcher and bubblewrap have to say
	passwdFile = "passwd"
)

// startTime is what a box may take until its program runs: mounting needs milliseconds, unless a disk does not answer.
const startTime = time.Minute

// launcher runs in the host's shell, with arguments only, and becomes the outer bubblewrap. TERM is meant for the
// program, which gets it too; bubblewrap would end at once and take the program with it. The program's own input and
// outputs go under numbers that bubblewrap does not keep. The box is the first to go when memory runs out.
const launcher = `trap '' TERM
exec 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>"$1"
shift
echo 500 >/proc/self/oom_score_adj
while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit 1; shift; done
shift
exec "$@"`

// Start starts s confined by c. The contract is that of process.Start; Process.Pid is the outer bubblewrap's. What the
// program reaches is closed, and what was made for it removed, before Process.Wait returns.
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

// Run runs s confined by c to its end. The contract is that of process.Run.
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

// rename lets an error speak of the program instead of the shell that would have started it.
func rename(err error, path string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("start %s in a sandbox: %w", path, err)
}

// abort cleans up after a start that process has refused. It is false when there was one.
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

// why is the error of a start that came to nothing. It matches fs.ErrNotExist and fs.ErrPermission as process.Start's.
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
