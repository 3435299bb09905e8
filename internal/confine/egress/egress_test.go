package egress

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

func page(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "package of %s %s", r.Host, r.URL) }

func get(t *testing.T, c *http.Client, url string) (string, error) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, body), err
}

func TestTLSGoesThrough(t *testing.T) {
	port := registry(t, true, page)
	d := newDoor(t, Config{Rules: []Rule{{Host: "Registry.test", Ports: []int{port}, Internal: true}, {Host: "*.wild.test", Ports: []int{port}, Internal: true}}},
		map[string][]string{"registry.test": loopback, "a.b.wild.test": loopback, "x.wild.test": loopback}).listen(t)
	for host, want := range map[string]string{"registry.test": "200 package of", "x.wild.test": "200 package of"} {
		got, err := get(t, d.client(t), fmt.Sprintf("https://%s:%d/x?y=1", host, port))
		if err != nil || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "/x?y=1") {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
	// A trailing dot and capitals name the same host.
	conn := d.tunnelTo(t, fmt.Sprintf("REGISTRY.test.:%d", port))
	secure := tls.Client(conn, &tls.Config{ServerName: "registry.test", RootCAs: authorityOf(t).pool})
	if err := secure.Handshake(); err != nil {
		t.Error(err)
	}
	_ = secure.Close()
	d.await(t, &d.opened, "registry.test ")
	if len(d.seen(&d.denied)) > 0 {
		t.Errorf("denied %q", d.denied)
	}
}

func TestLargeDownload(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB: more than may be sent the other way
	port := registry(t, true, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	d := newDoor(t, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}}, map[string][]string{"registry.test": loopback}).listen(t)
	got, err := get(t, d.client(t), fmt.Sprintf("https://registry.test:%d/", port))
	if err != nil || got != "200 "+string(content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no curl")
	}
	port, plain := registry(t, true, page), registry(t, false, page)
	d := newDoor(t, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}, {Host: "mirror.test", Ports: []int{plain}, Plain: true, Internal: true}}},
		map[string][]string{"registry.test": loopback, "mirror.test": loopback}).listen(t)
	for url, want := range map[string]string{
		fmt.Sprintf("https://registry.test:%d/a", port): fmt.Sprintf("package of registry.test:%d /a", port),
		fmt.Sprintf("http://mirror.test:%d/b", plain):   fmt.Sprintf("package of mirror.test:%d /b", plain),
		"https://evil.test/":                            "403 longshift: evil.test:443 is not a listed host; the operator can add it to LONGSHIFT_REGISTRIES",
		"http://evil.test/":                             "longshift: evil.test:80 is not a listed host; the operator can add it to LONGSHIFT_REGISTRIES",
		"https://127.0.0.1/":                            "403 longshift: 127.0.0.1:443 is an address, not a name",
	} {
		cmd := exec.Command(curl, "-sSv", "--max-time", "20", "--noproxy", "", "--proxy", "http://"+d.address, "--cacert", authorityOf(t).pemFile(t), url)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: want %q in\n%s", url, want, out)
		}
	}
}

func TestPlainHTTP(t *testing.T) {
	var got http.Header
	var body []byte
	port := registry(t, false, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		got.Set("Connection-Closes", fmt.Sprint(r.Close))
		body, _ = io.ReadAll(r.Body)
		page(w, r)
	})
	d := newDoor(t, Config{Rules: []Rule{{Host: "mirror.test", Ports: []int{port}, Plain: true, Internal: true}}},
		map[string][]string{"mirror.test": loopback}).listen(t)
	req, _ := http.NewRequest("POST", fmt.Sprintf("http://mirror.test:%d/q?x=1", port), strings.NewReader("question"))
	for name, value := range map[string]string{"Proxy-Authorization": "Basic c2VjcmV0", "Connection": "x-hop, content-length", "X-Hop": "1",
		"X-Kept": "2", "Te": "trailers"} {
		req.Header.Set(name, value)
	}
	resp, err := d.client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if want := fmt.Sprintf("package of mirror.test:%d /q?x=1", port); string(answer) != want || string(body) != "question" {
		t.Errorf("answer %q, body %q", answer, body)
	}
	for name, want := range map[string]string{"Proxy-Authorization": "", "X-Hop": "", "Te": "", "X-Kept": "2", "Connection-Closes": "true"} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	// A pipelined second request is not forwarded.
	first := fmt.Sprintf("GET http://mirror.test:%d/1 HTTP/1.1\r\nHost: mirror.test:%d\r\n\r\n", port, port)
	if answer := d.ask(t, first+"GET /2 HTTP/1.1\r\nHost: evil.test\r\n\r\n"); strings.Count(answer, "HTTP/1.1") != 1 || !strings.Contains(answer, "/1") {
		t.Errorf("two in one: %q", answer)
	}
}

// Uploads to a listed host are limited per connection and in total.
func TestUploadLimits(t *testing.T) {
	var mu sync.Mutex
	received := 0
	port := registry(t, true, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		mu.Lock()
		received += int(n)
		mu.Unlock()
	})
	rule := []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}
	table := map[string][]string{"registry.test": loopback}
	url := fmt.Sprintf("https://registry.test:%d/", port)
	d := newDoor(t, Config{Rules: rule, Limits: Limits{Upload: 100_000}}, table).listen(t)
	if _, err := d.client(t).Post(url, "", bytes.NewReader(make([]byte, 1<<20))); err == nil {
		t.Error("the upload went through")
	}
	d.await(t, &d.denied, "more than 100000 bytes over one connection")
	if resp, err := d.client(t).Post(url, "", bytes.NewReader(make([]byte, 50_000))); err != nil {
		t.Errorf("a small one after it: %v", err)
	} else {
		_ = resp.Body.Close()
	}
	mu.Lock()
	if received > 150_000 {
		t.Errorf("the registry got %d bytes", received)
	}
	mu.Unlock()

	d = newDoor(t, Config{Rules: rule, Limits: Limits{UploadTotal: 150_000}}, table).listen(t)
	sent := 0
	for range 4 {
		c := d.client(t)
		resp, err := c.Post(url, "", bytes.NewReader(make([]byte, 60_000)))
		if err == nil {
			_ = resp.Body.Close()
			sent++
		}
	}
	if sent != 2 {
		t.Errorf("%d of 4 uploads went through", sent)
	}
	d.await(t, &d.denied, "more than 150000 bytes over all connections")
}

func TestSlots(t *testing.T) {
	d := newDoor(t, Config{Limits: Limits{Conns: 1}}, nil).listen(t)
	holder, err := net.Dial("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := io.WriteString(holder, "CONNECT "); err != nil {
		t.Fatal(err)
	}
	slots := func(n int) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); len(d.slots) != n; <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d slots are in use, want %d", len(d.slots), n)
			}
		}
	}
	slots(1)
	a, b := net.Pipe()
	go d.ServeConn(t.Context(), a, &Account{})
	if answer, _ := io.ReadAll(b); !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") {
		t.Errorf("handed over while full: %q", answer)
	}
	_ = holder.Close()
	slots(0)
	if answer := d.ask(t, "CONNECT evil.test:443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Errorf("the next one: %q", answer)
	}
}

// One client can't keep all others out: it holds a quarter of the connections.
func TestSlotsOfAnAccount(t *testing.T) {
	d := newDoor(t, Config{Limits: Limits{Conns: 8}}, nil)
	begin := func(a *Account) net.Conn {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { _ = ours.Close() })
		_ = ours.SetDeadline(time.Now().Add(20 * time.Second))
		go d.ServeConn(t.Context(), theirs, a)
		return ours
	}
	slots := func(n int) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); len(d.slots) != n; <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d slots are in use, want %d", len(d.slots), n)
			}
		}
	}
	says := func(what string, conn net.Conn, want string) {
		t.Helper()
		if answer, _ := io.ReadAll(conn); !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
			t.Errorf("%s: %q", what, answer)
		}
	}
	var greedy, other Account
	held := []net.Conn{begin(&greedy), begin(&greedy)}
	slots(2)
	says("a third one", begin(&greedy), "503 longshift: 2 connections of this client are open")
	for range 3 {
		var a Account
		held = append(held, begin(&a), begin(&a))
	}
	slots(8)
	says("over all", begin(&other), "503 longshift: 8 connections are open")
	_, _ = held[0].Close(), held[2].Close()
	slots(6)
	for what, a := range map[string]*Account{"the client again": &greedy, "the other one": &other} {
		conn := begin(a)
		_, _ = io.WriteString(conn, "CONNECT evil.test:443 HTTP/1.1\r\n\r\n")
		says(what, conn, "403 ")
	}
}

func TestCloseEndsAll(t *testing.T) {
	entered := make(chan struct{})
	port := registry(t, true, func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	d := newDoor(t, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}}, map[string][]string{"registry.test": loopback}).listen(t)
	failed := make(chan error, 1)
	go func() {
		_, err := d.client(t).Get(fmt.Sprintf("https://registry.test:%d/", port))
		failed <- err
	}()
	<-entered
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if got := d.seen(&d.opened); len(got) != 1 { // Close has waited for it
		t.Errorf("reported %q when Close returned", got)
	}
	if err := <-failed; err == nil {
		t.Error("the request went on after Close")
	}
	a, b := net.Pipe()
	d.ServeConn(t.Context(), a, &Account{})
	if _, err := b.Read(make([]byte, 1)); err == nil {
		t.Error("a connection after Close was served")
	}
	if err := d.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}
