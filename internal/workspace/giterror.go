package workspace

import (
	"errors"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
)

// judge turns a failed git into an error.
func (m *Manager) judge(command string, exit process.Exit, stderr string) error {
	if exit.Success() {
		return nil
	}
	err := &gitError{command: command, exit: exit, stderr: scrub(stderr)}
	if unfit.MatchString(stderr) {
		return fault.New(fault.Work, "%w; see .gitattributes, and how the file is encoded", err)
	}
	return disk.Fault(err, m.config.Dir)
}

// unfit is what git says of a file that it can't take for what the file holds: whoever wrote it, and .gitattributes, can mend that, and
// nobody else can.
var unfit = regexp.MustCompile(`(?m)^(fatal|error): (failed to encode '|encoding '.* and back is not the same|BOM is (prohibited|required) in '|true/false are no valid working-tree-encodings)`)

// gitError is a git that has failed.
type gitError struct {
	command string
	exit    process.Exit
	stderr  string // scrubbed
}

// Error gives git's own words: the lines that say what is wrong, or the last one.
func (e *gitError) Error() string {
	var said []string
	last := ""
	for line := range strings.Lines(e.stderr) {
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
		said = []string{e.exit.String()}
	}
	return "git " + e.command + ": " + strings.Join(said, "; ")
}

// exitCode gives the exit code of a failed git, -1 when the error is none of a git's.
func exitCode(err error) int {
	if e := (*gitError)(nil); errors.As(err, &e) {
		return e.exit.Code
	}
	return -1
}

// killed tells whether a git was ended from outside, so that it says nothing about what it was asked.
func killed(err error) bool {
	var e *gitError
	return errors.As(err, &e) && (e.exit.Signal != "" || e.exit.Err != nil)
}

var lockMessage = regexp.MustCompile(`Unable to create '([^']+\.lock)': File exists`)

func (e *gitError) lockFile() string {
	if m := lockMessage.FindStringSubmatch(e.stderr); m != nil {
		return m[1]
	}
	return ""
}

var (
	userinfo  = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/@\s'"]*@`)
	authorize = regexp.MustCompile(`(?i)(authorization:\s*\w+\s+)\S+`)
)

// scrub takes logins out of what git says.
func scrub(text string) string {
	return authorize.ReplaceAllString(userinfo.ReplaceAllString(text, "$1"), "$1***")
}
