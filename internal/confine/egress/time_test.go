package egress

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timed is a tunnel over pipes, in a synctest bubble with fake time.
type timed struct {
	*door
	client net.Conn
	host   net.Conn // the registry's side
	began  time.Time
	done   chan struct{} // closed when ServeConn has returned
}

func newTimed(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) *timed {
	x := &timed{began: time.Now(), done: make(chan struct{})}
	near, far := net.Pipe()
	x.host = far
	if dial == nil {
		dial = func(context.Context, string, string) (net.Conn, error) { return near, nil }
	}
	x.door = newDoor(t, Config{Rules: []Rule{{Host: "registry.test"}}, Dial: dial}, map[string][]string{"registry.test": {"93.184.215.14"}})
	client, served := net.Pipe()
	x.client = client
	go func() {
		defer close(x.done)
		x.ServeConn(t.Context(), served, &Account{})
	}()
	t.Cleanup(func() {
		_ = client.Close()
		_ = near.Close()
		_ = far.Close()
	})
	return x
}

// open requests the tunnel.
func (x *timed) open(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(x.client, "CONNECT registry.test:443 HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if status, err := readStatus(bufio.NewReader(x.client)); err != nil || status != "200" {
		t.Fatalf("%q, %v", status, err)
	}
}

// greet opens the tunnel and sends the hello.
func (x *timed) greet(t *testing.T, hello []byte) {
	t.Helper()
	x.open(t)
	go func() { _, _ = x.client.Write(hello) }()
	if _, err := io.ReadFull(x.host, make([]byte, len(hello))); err != nil {
		t.Fatal(err)
	}
}

func (x *timed) endsAfter(t *testing.T, want time.Duration) {
	t.Helper()
	<-x.done
	if got := time.Since(x.began); got < want || got > want+time.Second {
		t.Errorf("ended after %v, want %v", got, want)
	}
}

// pause waits while the connection is open.
func (x *timed) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-x.done:
		return false
	}
}

func TestSlowHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		go func() {
			for _, c := range []byte("CONNECT registry.test:443 HTTP/1.1\r\n") {
				if _, err := x.client.Write([]byte{c}); err != nil {
					return
				}
				if !x.pause(time.Second) { // never idle for long
					return
				}
			}
		}()
		x.endsAfter(t, 10*time.Second)
		x.await(t, &x.denied, "no whole request within 10s")
	})
}

func TestNoHello(t *testing.T) {
	hello := clientHello(t, "registry.test", nil)
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		x.open(t)
		go func() { _, _ = x.client.Write(hello[:len(hello)/2]) }()
		go func() { _, _ = io.Copy(io.Discard, x.client) }()
		x.endsAfter(t, 10*time.Second)
		x.await(t, &x.denied, "no TLS hello within 10s")
	})
}

func TestIdle(t *testing.T) {
	hello := clientHello(t, "registry.test", nil)
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		x.greet(t, hello)
		x.endsAfter(t, 90*time.Second)
		x.await(t, &x.opened, "registry.test ")
	})
}

// Traffic in one direction keeps the other one open.
func TestOneWayIsNotIdle(t *testing.T) {
	hello := clientHello(t, "registry.test", nil)
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		x.greet(t, hello)
		go func() {
			for range 5 {
				<-time.After(time.Minute)
				_, _ = x.host.Write([]byte("x"))
			}
		}()
		if _, err := io.ReadFull(x.client, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		x.endsAfter(t, 5*time.Minute+90*time.Second)
	})
}

func TestTotalTime(t *testing.T) {
	hello := clientHello(t, "registry.test", nil)
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		x.greet(t, hello)
		go func() {
			for x.pause(10 * time.Second) {
				if _, err := x.host.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
		go func() { _, _ = io.Copy(io.Discard, x.client) }()
		x.endsAfter(t, 30*time.Minute)
	})
}

// A client that does not read does not keep the host's connection open for ever.
func TestClientThatDoesNotRead(t *testing.T) {
	hello := clientHello(t, "registry.test", nil)
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, nil)
		x.greet(t, hello)
		go func() { _, _ = x.host.Write(make([]byte, 1<<20)) }()
		x.endsAfter(t, 90*time.Second)
	})
}

func TestHostThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTimed(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if _, err := io.WriteString(x.client, "CONNECT registry.test:443 HTTP/1.1\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if status, err := readStatus(bufio.NewReader(x.client)); err != nil || status != "502" {
			t.Errorf("%q, %v", status, err)
		}
		_ = x.client.Close()
		x.endsAfter(t, 15*time.Second)
	})
}

// Packets to every IPv6 address vanish. What connects too late is closed.
func TestBrokenIPv6(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, closed := net.Pipe()
		near, far := net.Pipe()
		defer far.Close()
		x := newTimed(t, func(ctx context.Context, _, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "[") {
				<-ctx.Done()
				return late, nil
			}
			return near, nil
		})
		x.resolver.table["registry.test"] = []string{"2606::1", "2606::2", "2606::3", "2606::4", "93.184.215.14"}
		x.open(t)
		if took := time.Since(x.began); took != headStart {
			t.Errorf("the tunnel was open after %v", took)
		}
		if _, err := closed.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection that came too late is open: %v", err)
		}
	})
}

func TestContextEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, Config{}, nil)
		client, served := net.Pipe()
		defer client.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			d.ServeConn(ctx, served, &Account{})
		}()
		synctest.Wait()
		began := time.Now()
		cancel()
		<-done
		if time.Since(began) > 0 {
			t.Errorf("took %v", time.Since(began))
		}
	})
}
