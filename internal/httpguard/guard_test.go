package httpguard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

const patience = 20 * time.Second

// open serves a guard on a free port until the test ends. It sends the state of connections that become idle to idle.
func open(t *testing.T, d *Guard, idle chan<- bool) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := d.Server(t.Context())
	if state := s.ConnState; idle != nil {
		s.ConnState = func(c net.Conn, now http.ConnState) {
			state(c, now)
			if now == http.StateIdle {
				idle <- true
			}
		}
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return l.Addr().String()
}

// echoing is a guard whose handler returns the request.
func echoing() *Guard {
	d := New(nil, nil, slog.New(slog.DiscardHandler))
	d.Handle("/hook", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		_, _ = w.Write(body)
	}))
	return d
}

// slow opens n connections and sends the given bytes on each.
func slow(t *testing.T, address string, n int, say string) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, say); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// stillOpen counts connections without an answer that are not closed.
func stillOpen(conns []net.Conn) (n int) {
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			n++
		}
	}
	return n
}

// post sends a request on a new connection.
func post(t *testing.T, address, path, body string) (status int, answer string) {
	t.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Post("http://"+address+path, "text/plain", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

const (
	halfHeader = "POST /hook HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
	noBody     = "POST /hook HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n{"
)

// Incomplete requests lock nobody out, even from the same address as a complete one. They are still connected
// afterwards, so no timeout has helped.
func TestSlowCallersKeepNobodyOut(t *testing.T) {
	for name, c := range map[string]struct {
		say  string
		n    int
		left int // connections left, at least
		most int // connections left, at most
	}{
		"half headers":                {halfHeader, 200, 200, 200},
		"more of them than have room": {halfHeader, mostWaiting + 50, mostWaiting - 2, mostWaiting},
		"unfinished bodies":           {noBody, 200, mostBodies - 2, mostBodies},
		"nothing at all":              {"", 200, 200, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := echoing()
			d.limits = limits{header: time.Hour, whole: time.Hour, turn: patience}
			address := open(t, d, nil)
			say := c.say
			if strings.Contains(say, "%s") {
				say = fmt.Sprintf(say, address)
			}
			conns := slow(t, address, c.n, say)
			for range 20 {
				if status, answer := post(t, address, "/hook", "press"); status != http.StatusOK || answer != "press" {
					t.Fatalf("%d %q", status, answer)
				}
			}
			n := stillOpen(conns)
			for deadline := time.Now().Add(patience); n > c.most && time.Now().Before(deadline); {
				n = stillOpen(conns)
			}
			if n < c.left || n > c.most {
				t.Errorf("%d of %d are connected, want %d to %d: they had an hour", n, c.n, c.left, c.most)
			}
		})
	}
}

// Neither a header nor a body can be sent for ever, however slowly.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	d := echoing()
	d.limits = limits{header: 50 * time.Millisecond, whole: 100 * time.Millisecond, turn: patience}
	address := open(t, d, nil)
	for name, say := range map[string]string{"header": halfHeader, "body": fmt.Sprintf(noBody, address)} {
		c := slow(t, address, 1, say)[0]
		ctx, stop := context.WithCancel(t.Context())
		trickled := make(chan struct{})
		go func() { // a byte now and then
			defer close(trickled)
			for ctx.Err() == nil {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		}()
		_ = c.SetReadDeadline(time.Now().Add(patience))
		answer, err := io.ReadAll(c)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: never cut off", name)
		}
		if name == "body" && !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
			t.Errorf("%s: %q", name, answer)
		}
		stop()
		<-trickled
	}
}

// A request gets a temporary error when its handler is busy; other handlers are not affected. A handler may run longer
// than a request may take to arrive.
func TestTurns(t *testing.T) {
	t.Parallel()
	d := echoing()
	d.limits = limits{header: 100 * time.Millisecond, whole: 100 * time.Millisecond, turn: 200 * time.Millisecond}
	begun, release := make(chan *http.Request), make(chan struct{})
	d.Handle("/busy", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- r
		<-release
	}))
	address := open(t, d, nil)
	answers := make(chan int)
	var work []*http.Request
	for range mostCalls {
		go func() {
			status, _ := post(t, address, "/busy", "x")
			answers <- status
		}()
	}
	for range mostCalls {
		work = append(work, <-begun)
	}
	if status, answer := post(t, address, "/busy", "x"); status != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d %q", status, answer)
	}
	if status, _ := post(t, address, "/hook", "x"); status != http.StatusOK {
		t.Errorf("another handler: %d", status)
	}
	for _, r := range work { // longer than a request may take to arrive
		if err := r.Context().Err(); err != nil {
			t.Errorf("what is at work has lost its caller: %v", err)
		}
	}
	close(release)
	for range mostCalls {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("one in time: %d", status)
		}
	}
}

// When too many requests wait for a handler, the oldest gets a temporary error.
func TestWaitersGiveWay(t *testing.T) {
	t.Parallel()
	d := echoing()
	d.limits = limits{header: patience, whole: patience, turn: time.Hour}
	begun, release := make(chan bool), make(chan struct{})
	d.Handle("/busy", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- true
		<-release
	}))
	address := open(t, d, nil)
	t.Cleanup(func() { close(release) })
	whole := fmt.Sprintf("POST /busy HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\nx", address)
	slow(t, address, mostCalls, whole)
	for range mostCalls {
		<-begun
	}
	first := make(chan string)
	for _, c := range slow(t, address, mostBodies+1, whole) {
		go func() {
			line, _ := bufio.NewReader(c).ReadString('\n')
			select {
			case first <- line:
			case <-release:
			}
		}()
	}
	select {
	case line := <-first:
		if !strings.HasPrefix(line, "HTTP/1.1 503 ") {
			t.Errorf("%q", line)
		}
	case <-time.After(patience):
		t.Error("all of them wait")
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	address := open(t, echoing(), nil)
	if status, answer := post(t, address, "/hook", strings.Repeat("x", maxBody)); status != http.StatusOK || len(answer) != maxBody {
		t.Errorf("1 MiB: %d, %d bytes", status, len(answer))
	}
	if status, _ := post(t, address, "/hook", strings.Repeat("x", maxBody+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a byte more: %d", status)
	}
	c := slow(t, address, 1, fmt.Sprintf("POST /hook HTTP/1.1\r\nHost: %s\r\nContent-Length: 99999999999\r\n\r\n", address))[0]
	go func() { _, _ = c.Write(make([]byte, maxBody+1)) }()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("an endless body: %v %v", res, err)
	}
}

// An idle keep-alive connection gives up its place.
func TestIdleConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	isIdle := make(chan bool, 1)
	address := open(t, echoing(), isIdle)
	var idle []net.Conn
	for range mostWaiting + 1 {
		c := slow(t, address, 1, fmt.Sprintf("POST /hook HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\nx", address))[0]
		_ = c.SetReadDeadline(time.Now().Add(patience))
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("call %d: %v %v", len(idle), res, err)
		}
		<-isIdle // the answer comes before
		idle = append(idle, c)
	}
	_, _ = idle[0].Read(make([]byte, 1)) // the rest of the answer, or the end
	if _, err := idle[0].Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the one that was idle for longest: %v", err)
	}
	if n := stillOpen(idle[2:]); n != mostWaiting-1 {
		t.Errorf("%d of the others are open", n)
	}
}

// A request with a wrong host name or from another site's page reaches no handler.
func TestDoorKnowsItsNames(t *testing.T) {
	t.Parallel()
	d := echoing()
	d.Hosts = Hosts{"hooks.example.com"}
	address := open(t, d, nil)
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{address, "", 200}, {"hooks.example.com", "", 200}, {"attacker.example", "", 421}, {address, "https://attacker.example", 403},
		{"hooks.example.com", "https://hooks.example.com", 200},
	} {
		req, err := http.NewRequest("POST", "http://"+address+"/hook", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s from %q: %d, want %d", c.host, c.origin, res.StatusCode, c.want)
		}
	}
}
