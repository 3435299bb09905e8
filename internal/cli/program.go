package cli

import (
	"context"
	"os/user"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/config"
)

// program is one run of the command line.
type program struct {
	streams Streams
	env     Environ
	wiring  Wiring
	clock   clock
	format  string // of the output: text, json, jsonl

	config    func() (config.Config, error) // read once
	keys      *keyboard                     // made when it is first asked for
	answers   *lines                        // the same
	typed     *formInput                    // the same
	closed    chan struct{}                 // when the program ends
	connected client.Client
	namespace string
	address   string
	web       string // Temporal Web of a server that we have started; "" takes the configured one
}

// clock is the time, which tests turn by hand.
type clock struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

func newProgram(streams Streams, env Environ, wiring Wiring) *program {
	p := &program{streams: streams, env: env, wiring: wiring, format: formatText, closed: make(chan struct{}), clock: clock{time.Now, time.After}}
	p.config = sync.OnceValues(func() (config.Config, error) { return config.Load(env.Lookup) })
	return p
}

func (p *program) close() {
	close(p.closed)
	if p.connected != nil {
		p.connected.Close()
	}
}

// pause waits, or returns false when ctx has ended.
func (p *program) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-p.clock.after(d):
		return true
	}
}

// by is who sends a message: the name of the user.
func (p *program) by() string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if by := p.env.Get(name); by != "" {
			return oneLine(by)
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// interactive tells whether a person can be asked: keys come from a terminal and the live line goes to one.
func (p *program) interactive() bool {
	return p.format == formatText && p.streams.InTTY && p.streams.ErrTTY && p.streams.Raw != nil
}
