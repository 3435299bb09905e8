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
	to    string        // "" while it is cut
	pause time.Duration // for each kilobyte
	open  map[net.Conn]bool
	cuts  int
}

// NewRelay makes a network that leads nowhere yet.
func NewRelay(t testing.TB) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{Address: l.Addr().String(), open: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); r.Lead("", 0) })
	go func() {
		for in, err := l.Accept(); err == nil; in, err = l.Accept() {
			go r.carry(in)
		}
	}()
	return r
}

// Lead has connections go to an address from now on, and each kilobyte take so long. With "" the network is cut, in open connections too.
func (r *Relay) Lead(to string, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to, r.pause = to, pause; to == "" {
		for c := range r.open {
			c.Close()
			r.cuts++
		}
	}
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
	to, pause := r.to, r.pause
	if r.open[in] = true; to == "" {
		r.cuts++
	}
	r.mu.Unlock()
	defer func() { r.mu.Lock(); delete(r.open, in); r.mu.Unlock() }()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() { hand(in, out, pause); in.Close() }()
	hand(out, in, pause)
}

func hand(to io.Writer, from io.Reader, pause time.Duration) {
	piece := make([]byte, 1<<10)
	for {
		n, err := from.Read(piece)
		time.Sleep(pause)
		if _, bad := to.Write(piece[:n]); err != nil || bad != nil {
			return
		}
	}
}
