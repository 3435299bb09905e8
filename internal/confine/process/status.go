package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// statusReader parses a guard's reports: "starting", then "started PID START" or "failed ERRNO TEXT", then "exit CODE SIGNAL".
type statusReader struct {
	f    *os.File
	r    *bufio.Reader
	fail error
}

func newStatusReader(f *os.File) *statusReader { return &statusReader{f: f, r: bufio.NewReader(f)} }

func (s *statusReader) close() { s.f.Close() }

// started returns the program, or the zero Process if its guard was killed when it may have run already.
func (s *statusReader) started() (tree.Process, error) {
	line, err := s.r.ReadString('\n')
	if err == nil && line == "starting\n" {
		if line, err = s.r.ReadString('\n'); err != nil {
			return tree.Process{}, nil
		}
	}
	if err != nil {
		s.fail = errors.New("guard ended before the program ran")
		return tree.Process{}, s.fail
	}
	var p tree.Process
	if _, err := fmt.Sscanf(line, "started %d %d", &p.Pid, &p.Start); err == nil {
		return p, nil
	}
	var errno int
	word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	number, text, _ := strings.Cut(rest, " ")
	if errno, err = strconv.Atoi(number); word != "failed" || err != nil {
		s.fail = fmt.Errorf("guard said %q", line)
	} else if s.fail = errors.New(text); errno != 0 {
		s.fail = fmt.Errorf("%s: %w", text, syscall.Errno(errno))
	}
	return tree.Process{}, s.fail
}

// startError returns why the program did not start. A reported reason takes precedence over a broken pipe.
func (s *statusReader) startError() error {
	if s.fail == nil {
		s.started()
	}
	if s.fail == nil {
		return errors.New("guard could not be given its order")
	}
	return s.fail
}

func (s *statusReader) exit() (Exit, error) {
	line, err := s.r.ReadString('\n')
	if err != nil {
		return Exit{}, err
	}
	var e Exit
	var sig int
	if _, err := fmt.Sscanf(line, "exit %d %d", &e.Code, &sig); err != nil {
		return Exit{}, err
	}
	if sig != 0 {
		e.Code, e.Signal = -1, signalName(syscall.Signal(sig))
	}
	return e, nil
}

func signalName(sig syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
		syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
		syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM",
		syscall.SIGTERM: "SIGTERM", syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2", syscall.SIGSYS: "SIGSYS",
		syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	}
	if name, ok := names[sig]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
