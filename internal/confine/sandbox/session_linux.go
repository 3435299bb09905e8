package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// goneAfter is how long the socket of a finished box may stay open before the worker closes it.
const goneAfter = 2 * time.Second

// session is one start: its folder, the connection to the inner init, and what to clean up.
type session struct {
	dir     string
	lock    *os.File // on dir while the box is in use
	order   inner.Order
	plan    *plan // nil without namespaces
	groups  []string
	reach   []Reach
	relays  *relays
	socket  *net.UnixListener
	started chan struct{} // closed when the program runs or has failed to start
	served  chan struct{} // closed when the inner init has disconnected

	mu      sync.Mutex
	conn    *net.UnixConn
	over    bool // ended was called, or will never be
	begun   bool
	failure error
	end     *process.Exit
}

// openSession creates the folder and listens for the inner init.
func openSession() (*session, error) {
	dir, lock, err := makeFolder()
	if err != nil {
		return nil, err
	}
	s := &session{dir: dir, lock: lock, started: make(chan struct{}), served: make(chan struct{})}
	if s.socket, err = listenIn(dir); err != nil {
		lock.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// listenIn opens the socket through the folder's descriptor, since socket paths must be short.
func listenIn(dir string) (*net.UnixListener, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	short := fmt.Sprintf("/proc/self/fd/%d/%s", fd, filepath.Base(inner.Socket))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false) // the path is invalid once the descriptor is closed
	}
	return l, err
}

func (s *session) path(name string) string { return filepath.Join(s.dir, name) }

// serve handles the inner init's reports until it disconnects.
func (s *session) serve() {
	defer close(s.served)
	defer s.settle(nil)
	conn, err := s.socket.AcceptUnix()
	s.socket.Close() // only one connection is expected, and it is made before the program starts
	os.Remove(s.path(filepath.Base(inner.Socket)))
	if err != nil {
		return
	}
	defer conn.Close()
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	b, err := inner.Frame(s.order)
	if err == nil {
		_, err = conn.Write(b)
	}
	if err != nil {
		s.settle(fault.New(fault.Infra, "sandbox: hand over the order: %w", err))
		return
	}
	for {
		r, fds, err := hear(conn)
		if err == nil {
			err = s.take(r, fds)
		}
		if err != nil {
			return
		}
	}
}

// settle records whether the start has succeeded.
func (s *session) settle(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.started:
	default:
		s.failure = err
		close(s.started)
	}
}

// ended is called when all processes of the box are gone. It returns how the program ended, and cleans up.
func (s *session) ended(outer process.Exit) process.Exit {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.socket.Close()
	timer := time.NewTimer(goneAfter)
	defer timer.Stop()
	select {
	case <-s.served:
	case <-timer.C: // a process that escaped holds the socket
		s.mu.Lock()
		if s.conn != nil {
			s.conn.Close()
		}
		s.mu.Unlock()
		<-s.served
	}
	s.mu.Lock()
	if !s.begun && s.failure == nil {
		s.failure = s.setupError(outer)
	}
	end := s.end
	s.mu.Unlock()
	s.clean()
	if end != nil {
		return *end
	}
	return outer
}

// setupError explains why no program has run, from bubblewrap's output.
func (s *session) setupError(outer process.Exit) error {
	b, _ := os.ReadFile(s.path(errorsFile))
	said := cmp.Or(strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), outer.String())
	return layerFault(LayerNamespaces, errors.New(strings.ReplaceAll(said, "\n", "; ")))
}

// clean removes what the start has created. Cgroups may be busy for a moment after their last process.
func (s *session) clean() {
	s.socket.Close()
	s.relays.close()
	if s.plan != nil {
		s.plan.undo()
	}
	removeGroups(s.groups)
	os.RemoveAll(s.dir)
	s.lock.Close()
}
