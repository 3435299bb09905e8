package guard

import (
	"os"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// settle is how long the descendants of a finished program may take to exit by themselves: most are about to, and
// reading /proc costs more.
const settle = 10 * time.Millisecond

// watch returns how the child ended, once no descendant is left.
func (g *guard) watch(control *os.File) (end syscall.WaitStatus) {
	deaths, orders := waitAll(), readControl(control)
	var grace <-chan time.Time  // fires when TERM was not enough
	var hammer <-chan time.Time // ticks while everything is being killed
	kill := func() {
		if hammer == nil {
			hammer = time.Tick(2 * time.Millisecond)
		}
		g.killAll()
	}
	stop := func() {
		if grace != nil || hammer != nil {
			return
		}
		g.signalAll(syscall.SIGTERM)
		grace = time.After(max(g.order.Grace, 0))
	}
	for {
		select {
		case d, more := <-deaths:
			if !more {
				return end
			}
			if d.pid != g.child.Pid {
				continue
			}
			if end = d.status; nobodyLeft() {
				return end
			}
			if grace == nil { // the program has finished, so its descendants are stopped
				grace = time.After(settle)
			}
		case o := <-orders:
			if o == Stop {
				stop()
			} else {
				orders = nil
				kill() // on request, or because the parent is gone
			}
		case <-g.signals:
			stop()
		case <-grace:
			kill()
		case <-hammer:
			g.killAll()
		}
	}
}

// death is a descendant that was waited for.
type death struct {
	pid    int
	status syscall.WaitStatus
}

// waitAll waits for descendants until there are none. Orphans are reparented to the guard, so "no child" means "no
// descendant".
func waitAll() <-chan death {
	c := make(chan death)
	go func() {
		defer close(c)
		for {
			var d death
			var err error
			if d.pid, err = syscall.Wait4(-1, &d.status, 0, nil); err == syscall.EINTR {
				continue
			} else if err != nil {
				return
			}
			c <- d
		}
	}()
	return c
}

// nobodyLeft avoids reading /proc in the common case that the child leaves no process behind.
func nobodyLeft() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if pid <= 0 && err != syscall.EINTR {
			return err == syscall.ECHILD
		}
	}
}

// readControl delivers each order, and 0 when the parent is gone.
func readControl(control *os.File) <-chan byte {
	c := make(chan byte)
	go func() {
		for b := make([]byte, 1); ; {
			n, err := control.Read(b)
			if n == 1 {
				c <- b[0]
			} else if err != nil {
				c <- 0
				return
			}
		}
	}()
	return c
}

func (g *guard) killAll() { g.signalAll(syscall.SIGKILL) }

// signalAll signals every descendant, parents first, since they may know best how to stop their children.
func (g *guard) signalAll(sig syscall.Signal) {
	list, err := tree.Take()
	if err != nil {
		syscall.Kill(-g.child.Pid, sig) // without /proc only the group can be reached
		return
	}
	for _, p := range list.Descendants(os.Getpid()) {
		p.Signal(sig)
	}
}
