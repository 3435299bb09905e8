// Package git runs the git program, for everything here that needs it.
//
// The environment and the configuration of each run are built, not filtered: neither variables of this process nor files of the user
// and the system have an effect, unless the caller asks for the user's. What a repository's own configuration can name is switched off
// where git runs it unasked: hooks, file system monitors, pagers, editors, askpass programs, credential helpers and ssh commands. So
// is each transport that the caller does not name. It does not cover what a command reads attributes for, namely filters, diff and
// merge drivers: a caller that runs such a command in a repository of somebody else's has to keep that configuration away from it.
//
// Logins go through the environment, never through arguments, and are hidden in output and errors. The package knows no task, no forge
// and no agent.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/longshift/longshift/internal/confine/process"
)

// Git says how git is run. The zero value runs the git of the PATH in the root directory. It may be copied and changed.
type Git struct {
	Program   string      // absolute, or a name that is looked up in PATH; "git" when empty
	Environ   []string    // PATH and, for User, the place of the user's files are taken from it; nil for this process's own
	Dir       string      // working directory, absolute; "" is the root directory
	Env       []string    // added to the environment; wins over what is there
	Settings  [][2]string // added to the configuration; wins over what is there
	Author    Person      // of commits; the zero value for none
	User      bool        // configuration of the user and the system counts, but for what it could name to be run
	Protocols string      // transports that git may use, as in "file:https"; none when empty
	Login     Login       // for a server of http or https; the zero value for none
	Limit     int64       // bytes of output, over which a run fails with ErrTooMuch; 0 for no limit
	Guarded   bool        // git starts further programs, such as ssh: all of them end with it, at four times the cost
}

// Person is who makes a commit.
type Person struct{ Name, Email string }

// ErrTooMuch is the error of a run that printed more than its limit.
var ErrTooMuch = errors.New("more output than is read")

// Run runs git. Output goes to out as it comes, that of a guarded run at its end. An error is an *Error when git has run and failed. When
// ctx ends, so does git, and the error is the cause.
func (g Git) Run(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	over := &limited{out, g.Limit}
	if g.Limit > 0 {
		out = over
	}
	s := process.Spec{Path: cmp.Or(g.Program, "git"), Args: args, Dir: g.Dir, Env: g.environ(), Stdin: in}
	start := process.Direct
	if g.Guarded {
		start = g.guarded
	}
	exit, stderr, err := start(ctx, s, out)
	name := command(args)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", name, context.Cause(ctx))
	case over.left < 0:
		return fmt.Errorf("git %s: %w", name, ErrTooMuch)
	case err != nil:
		return fmt.Errorf("git %s: %w", name, err)
	case !exit.Success():
		return &Error{Command: name, Exit: exit, Stderr: g.Login.hide(stderr)}
	}
	return nil
}

// Output runs git and returns what it prints, without the last line end. It returns the output of a failed run too.
func (g Git) Output(ctx context.Context, in io.Reader, args ...string) (string, error) {
	var out bytes.Buffer
	err := g.Run(ctx, in, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// guarded is process.Direct for a program that starts others.
func (g Git) guarded(ctx context.Context, s process.Spec, out io.Writer) (process.Exit, string, error) {
	p, err := process.Start(ctx, s)
	if err != nil {
		return process.Exit{}, "", err
	}
	var text bytes.Buffer
	var to io.Writer = &text
	if g.Limit > 0 {
		to = &limited{to, g.Limit}
	}
	if _, err = io.Copy(to, p.Stdout()); err != nil {
		p.Stop()
	}
	exit := p.Wait()
	said := text.String()
	if !exit.Success() {
		said = g.Login.hide(said) // complaints of the other side are among it
	}
	if err == nil {
		_, err = io.WriteString(out, said)
	}
	return exit, p.Stderr(), err
}

// limited passes so many bytes on, and refuses more.
type limited struct {
	to   io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, ErrTooMuch
	}
	return l.to.Write(b)
}

// Lookup returns a variable of an environment, "" when it is not there.
func Lookup(environ []string, name string) string {
	for _, v := range environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func (g Git) lookup(name string) string {
	if g.Environ == nil {
		return os.Getenv(name)
	}
	return Lookup(g.Environ, name)
}
