package sandbox

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"testing"

	"github.com/longshift/longshift/internal/confine/process"
)

// TestReachWithoutANetworkLayer starts two boxes that forward the same host port: without a network of their own they
// reach the host's port directly.
func TestReachWithoutANetworkLayer(t *testing.T) {
	theBox(t)
	b, err := New(t.Context(), Config{Log: slog.New(slog.DiscardHandler), Weaken: map[Layer]bool{LayerNetwork: true}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "the host's own\n")
			c.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	for range 2 {
		c := workIn(t)
		c.Reach = []Reach{{Port: port, Dial: func(context.Context) (net.Conn, error) { return nil, errors.New("not this way") }}}
		r, err := b.Run(t.Context(), process.Bash("head -1 < /dev/tcp/127.0.0.1/"+strconv.Itoa(port)), process.Limits{}, c)
		if err != nil || r.Output != "the host's own\n" {
			t.Errorf("got %q, %v", r.Output, err)
		}
	}
}
