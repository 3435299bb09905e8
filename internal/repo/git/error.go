package git

import (
	"errors"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/confine/process"
)

// Error is a git that ran and failed.
type Error struct {
	Command string
	Exit    process.Exit
	Stderr  string // the end of it, without logins
}

func (e *Error) Error() string { return "git " + e.Command + ": " + e.Words() }

// Words are git's own: the lines that say what is wrong, or the last one.
func (e *Error) Words() string {
	var said []string
	last := ""
	for line := range strings.Lines(e.Stderr) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "hint:") {
			continue
		}
		last = line
		if strings.HasPrefix(line, "fatal:") || strings.HasPrefix(line, "error:") || strings.HasPrefix(line, "remote:") {
			said = append(said, line)
		}
	}
	if len(said) == 0 && last != "" {
		said = []string{last}
	}
	if len(said) > 6 {
		said = said[len(said)-6:]
	}
	if len(said) == 0 {
		said = []string{e.Exit.String()}
	}
	return strings.Join(said, "; ")
}

var lockMessage = regexp.MustCompile(`Unable to create '([^']+\.lock)': File exists`)

// LockFile is the lock file that was in git's way, "" when none was.
func (e *Error) LockFile() string {
	if m := lockMessage.FindStringSubmatch(e.Stderr); m != nil {
		return m[1]
	}
	return ""
}

// ExitCode returns the exit code of a git that failed, -1 for any other error.
func ExitCode(err error) int {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Exit.Code
	}
	return -1
}

// Killed tells whether git was ended from outside, so that its failure is no answer.
func Killed(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Exit.Signal != "" || e.Exit.Err != nil)
}

// command is git's command in its arguments.
func command(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return strings.Join(args, " ")
}
