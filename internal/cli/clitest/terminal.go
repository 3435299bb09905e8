// Package clitest holds what tests of the command line share: a terminal, and a task on a server.
package clitest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

// Terminal is the terminal and the environment of a command under test.
type Terminal struct {
	T         *testing.T
	Vars      []string
	Dir       string
	In        io.Reader
	Raw       bool // keys can be asked for
	TTY       bool // there is a live line
	Columns   int  // of the terminal; 0 is 80
	Out, Errs Buffer
}

// Buffer is a buffer that several goroutines may write to and read.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *Buffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func NewTerminal(t *testing.T, vars ...string) *Terminal {
	return &Terminal{T: t, Dir: t.TempDir(), Vars: append([]string{"HOME=" + t.TempDir(), "USER=ann", "PATH=" + os.Getenv("PATH")}, vars...)}
}

func (c *Terminal) Streams() term.Streams {
	streams := term.Streams{In: c.In, Out: &c.Out, Err: &c.Errs, InTTY: c.Raw, ErrTTY: c.TTY,
		Width: func() int { return cmp.Or(c.Columns, 80) }}
	if c.In == nil {
		streams.In = strings.NewReader("")
	}
	if c.Raw {
		streams.Raw = func() (func(), error) {
			fmt.Fprint(&c.Errs, "<raw>")
			return func() { fmt.Fprint(&c.Errs, "<cooked>") }, nil
		}
	}
	return streams
}

func (c *Terminal) Environ() environ.Environ { return environ.Environ{Vars: c.Vars, Dir: c.Dir} }
