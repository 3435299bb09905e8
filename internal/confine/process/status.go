package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// statusReader parses a guard's reports: "started PID START" or "failed ERRNO TEXT", then "exit CODE SIGNAL".
type statusReader struct {
	f    *os.File
	r    *bufio.Reader
	fail error
}

func newStatusReader(f *os.File) *statusReader { return &statusReader{f: f, r: bufio.NewReader(f)} }

func (s *statusReader) close() { s.f.Close() }

func (s *statusReader) started() (proc, error) {
	line, err := s.r.ReadString('\n')
	if err != nil {
		s.fail = errors.New("guard ended before the program ran")
		return proc{}, s.fail
	}
	var p proc
	if _, err := fmt.Sscanf(line, "started %d %d", &p.pid, &p.start); err == nil {
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
	return proc{}, s.fail
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
