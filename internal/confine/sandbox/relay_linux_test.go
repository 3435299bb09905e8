package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// A model's answer may be long and have long pauses.
func TestSlowStreamIsNotCut(t *testing.T) {
	c := workIn(t)
	next := make(chan struct{})
	addr := server(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	c.Reach = []Reach{{Port: 18080, Dial: dialTo(addr)}}
	s := python(c, `
import urllib.request as u
for line in u.urlopen("http://127.0.0.1:18080/"):
    print(line.decode().strip(), flush=True)
`)
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	for i := range 3 {
		if got := readLine(t, p.Stdout()); got != fmt.Sprintf("data: %d", i) {
			t.Errorf("got %q", got)
		}
		readLine(t, p.Stdout())
		next <- struct{}{}
	}
	if exit := p.Wait(); !exit.Success() {
		t.Errorf("%s: %s", exit, p.Stderr())
	}
}

// goroutines waits until there are no more than before.
func goroutines(t testing.TB) {
	t.Helper()
	theBox(t)
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; <-time.After(5 * time.Millisecond) {
			if time.Now().After(end) {
				b := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b, true)])
			}
		}
	})
}

func openFiles(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A program that opens endless connections, leaves them half-closed or never reads must cost the worker little, and
// nothing after its end.
func TestFloodIsBounded(t *testing.T) {
	goroutines(t)
	c := workIn(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // a server that sends much and reads nothing
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, endless{})
			}()
		}
	}()
	c.Reach = []Reach{{Port: 18080, Dial: dialTo(l.Addr().String())}}
	before := openFiles(t)
	s := python(c, `
import socket, sys, time, resource
held=[]; refused=0
for i in range(3000):
    try:
        k=socket.socket(); k.settimeout(5); k.connect(("127.0.0.1",18080))
        if i%3==0: k.shutdown(socket.SHUT_WR)
        if i%3==1: k.send(b"x"*10)
        held.append(k)
    except OSError: refused+=1
print(len(held), flush=True)
sys.stdin.readline()
for k in held: k.close()
ok=0
for i in range(50):
    k=socket.create_connection(("127.0.0.1",18080)); k.settimeout(5)
    try: ok += len(k.recv(1))
    except OSError: time.sleep(0.05)
    k.close()
print("ok" if ok else "never again", flush=True)
sys.stdin.readline()
`)
	s.StdinPipe = true
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	if n := openFiles(t) - before; n > 3*maxConns+20 { // both ends of each connection, and the test's own server
		t.Errorf("%d files are open", n)
	}
	io.WriteString(p.Stdin(), "\n")
	if got := readLine(t, p.Stdout()); got != "ok" {
		t.Errorf("after the flood: %s", got)
	}
	p.Stop()
	l.Close()
	for end := time.Now().Add(5 * time.Second); openFiles(t) > before; <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d files are open, %d before", openFiles(t), before)
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestRelayEndsWithTheBox(t *testing.T) {
	goroutines(t)
	c := workIn(t)
	held := make(chan net.Conn, 2)
	c.Reach = []Reach{
		{Port: 18080, Dial: func(context.Context) (net.Conn, error) { a, b := net.Pipe(); held <- b; return a, nil }},
		{Port: 18081, Dial: func(ctx context.Context) (net.Conn, error) { held <- nil; <-ctx.Done(); return nil, ctx.Err() }},
	}
	s := python(c, `
import socket
a=socket.create_connection(("127.0.0.1",18080)); b=socket.create_connection(("127.0.0.1",18081))
print("ready",flush=True)
a.recv(1)`)
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	far := <-held
	if far == nil {
		far = <-held
	} else {
		<-held
	}
	p.Stop()
	if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the way is open after the end: %v", err)
	}
}

func TestHalfClose(t *testing.T) {
	c := workIn(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // answers at the end of the request
				defer conn.Close()
				b, _ := io.ReadAll(conn)
				fmt.Fprintf(conn, "%d bytes", len(b))
			}()
		}
	}()
	c.Reach = []Reach{{Port: 18080, Dial: dialTo(l.Addr().String())},
		{Port: 18081, Dial: func(context.Context) (net.Conn, error) { return nil, errors.New("nobody there") }}}
	r := inside(t, c, python(c, `
import socket
k=socket.create_connection(("127.0.0.1",18080)); k.sendall(b"x"*100000); k.shutdown(socket.SHUT_WR)
print(k.makefile().read())
k=socket.create_connection(("127.0.0.1",18081)); k.settimeout(10)
try: print("got", k.recv(1))
except ConnectionResetError: print("reset")
`))
	if r.Output != "100000 bytes\nreset\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

// Two boxes may forward the same port to different targets.
func TestPortsAreEachBoxsOwn(t *testing.T) {
	type answer struct {
		r   process.Result
		err error
	}
	b, answers := theBox(t), make(chan answer)
	for i := range 2 {
		c := workIn(t)
		addr := server(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "server %d", i) })
		c.Reach = []Reach{{Port: 18080, Dial: dialTo(addr)}}
		go func() {
			r, err := b.Run(t.Context(), python(c, `
import urllib.request as u, sys
print(u.urlopen("http://127.0.0.1:18080/").read().decode())`), process.Limits{}, c)
			r.Code = i
			answers <- answer{r, err}
		}()
	}
	for range 2 {
		a := <-answers
		if want := fmt.Sprintf("server %d\n", a.r.Code); a.err != nil || a.r.Output != want {
			t.Errorf("got %q, want %q, %v", a.r.Output, want, a.err)
		}
	}
}
