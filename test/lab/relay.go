package lab

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Relay is a network between two programs: it hands on what comes in, and can be cut and slowed.
type Relay struct {
	Address string

	mu    sync.Mutex
	to    string // "" while there is no way
	pause time.Duration
	open  map[net.Conn]bool
	cuts  int // connections that were refused or cut
}

// NewRelay makes a network that leads nowhere yet.
func NewRelay(t testing.TB) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{Address: l.Addr().String(), open: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); r.Lead("") })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go r.carry(in)
		}
	}()
	return r
}

// Lead lets connections go to an address from now on. With "" the network is cut, also for those that are open.
func (r *Relay) Lead(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to = to; to == "" {
		for c := range r.open {
			c.Close()
			r.cuts++
		}
	}
}

// Slow has each kilobyte take so long from now on.
func (r *Relay) Slow(pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pause = pause
}

// Cuts is how many connections were cut or refused so far.
func (r *Relay) Cuts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cuts
}

func (r *Relay) carry(in net.Conn) {
	defer in.Close()
	r.mu.Lock()
	to := r.to
	r.open[in] = true
	if to == "" {
		r.cuts++
	}
	r.mu.Unlock()
	defer func() { r.mu.Lock(); delete(r.open, in); r.mu.Unlock() }()
	if to == "" {
		return
	}
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() { r.copy(in, out); in.Close() }()
	r.copy(out, in)
}

func (r *Relay) copy(to io.Writer, from io.Reader) {
	piece := make([]byte, 1<<10)
	for {
		n, err := from.Read(piece)
		r.mu.Lock()
		pause := r.pause
		r.mu.Unlock()
		if n > 0 && pause > 0 {
			time.Sleep(pause)
		}
		if _, bad := to.Write(piece[:n]); err != nil || bad != nil {
			return
		}
	}
}
