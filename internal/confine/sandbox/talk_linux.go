package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// hear reads one report and the descriptors passed with it.
func hear(conn *net.UnixConn) (r inner.Report, fds []int, err error) {
	var header [4]byte
	oob := make([]byte, unix.CmsgSpace(4*2*maxReach))
	n, oobn, _, _, err := conn.ReadMsgUnix(header[:], oob)
	if err != nil {
		return r, nil, err
	}
	if list, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil {
		for _, m := range list {
			got, _ := unix.ParseUnixRights(&m)
			fds = append(fds, got...)
		}
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	for n < len(header) && err == nil {
		var more int
		more, err = conn.Read(header[n:])
		n += more
	}
	if err == nil {
		err = inner.ReadBody(conn, header, &r)
	}
	if err != nil {
		closeAll(fds)
	}
	return r, fds, err
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// take handles a report.
func (s *session) take(r inner.Report, fds []int) error {
	switch r.Kind {
	case inner.Listening:
		return s.relay(r.Ports, fds)
	case inner.Started:
		s.mu.Lock()
		s.begun = true
		s.mu.Unlock()
		s.settle(nil)
	case inner.Failed:
		s.settle(failure(r))
	case inner.Ended:
		end := process.Exit{Code: r.Code}
		if r.Sig != 0 {
			end = process.Exit{Code: -1, Signal: signalName(r.Sig)}
		}
		s.mu.Lock()
		s.end = &end
		s.mu.Unlock()
	}
	closeAll(fds)
	return nil
}

// relay starts serving the box's listeners.
func (s *session) relay(ports, fds []int) error {
	if len(ports) != len(fds) {
		closeAll(fds)
		err := fault.New(fault.Infra, "sandbox: %d listeners for %d ports", len(fds), len(ports))
		s.settle(err)
		return err
	}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			closeAll(fds[i+1:])
			s.settle(fault.New(fault.Infra, "sandbox: take over the listener of port %d: %w", ports[i], err))
			return err
		}
		for _, to := range s.reach {
			if to.Port == ports[i] {
				s.relays.serve(l, to)
			}
		}
	}
	return nil
}

// failure is the error for a box or a program that could not be started.
func failure(r inner.Report) error {
	err := errors.New(r.Text)
	if r.Errno != 0 {
		err = r.Errno
		if r.Text != "" {
			err = fmt.Errorf("%s: %w", r.Text, r.Errno)
		}
	}
	if r.Layer == "" {
		return err // the program's own error, as without a sandbox
	}
	return layerFault(r.Layer, err)
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
