package egress

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// modules serves the go command.
func modules(w http.ResponseWriter, r *http.Request) {
	file := strings.TrimPrefix(r.URL.Path, "/example.test/thing/@v/")
	content, ok := map[string]string{"list": "v1.2.3\n", "v1.2.3.info": `{"Version":"v1.2.3"}`, "v1.2.3.mod": "module example.test/thing\n"}[file]
	if !ok {
		http.NotFound(w, r)
		return
	}
	fmt.Fprint(w, content)
}

// The go command, the package manager available wherever this test runs, works through the proxy and shows refusals.
func TestGoCommand(t *testing.T) {
	port := registry(t, true, modules)
	d := newDoor(t, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}}, map[string][]string{"registry.test": loopback}).listen(t)
	run := func(source string) string {
		dir := t.TempDir()
		cmd := exec.Command("go", "list", "-m", "-versions", "example.test/thing")
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOPATH=" + dir, "GOFLAGS=-modcacherw -mod=mod", "GOPROXY=" + source,
			"GONOSUMDB=*", "GOTOOLCHAIN=local",
			"XDG_CONFIG_HOME=none", // a relative path keeps the command from starting its telemetry process, which would outlive it
			"HTTPS_PROXY=http://" + d.address, "SSL_CERT_FILE=" + authorityOf(t).pemFile(t)}
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	if got := run(fmt.Sprintf("https://registry.test:%d", port)); !strings.HasPrefix(got, "example.test/thing v1.2.3\n") {
		t.Errorf("through the proxy: %s", got)
	}
	if got := run("https://evil.test"); !strings.Contains(got, "longshift: evil.test:443 is not a listed host; the operator can add it to LONGSHIFT_REGISTRIES") {
		t.Errorf("elsewhere: %s", got)
	}
}

// BenchmarkFetch fetches a small package over a new connection each time, directly and through the proxy.
func BenchmarkFetch(b *testing.B) {
	port := registry(b, true, page)
	d := newDoor(b, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}}, map[string][]string{"registry.test": loopback}).listen(b)
	straight := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: authorityOf(b).pool}}
	straight.DialTLS = func(network, _ string) (net.Conn, error) {
		return tls.Dial(network, fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{ServerName: "registry.test", RootCAs: authorityOf(b).pool})
	}
	through := d.client(b).Transport.(*http.Transport)
	through.DisableKeepAlives = true
	for name, transport := range map[string]*http.Transport{"straight": straight, "proxy": through} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				resp, err := (&http.Client{Transport: transport}).Get(fmt.Sprintf("https://registry.test:%d/", port))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}

// BenchmarkDownload transfers 64 MiB in one answer.
func BenchmarkDownload(b *testing.B) {
	content := make([]byte, 64<<20)
	port := registry(b, true, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	d := newDoor(b, Config{Rules: []Rule{{Host: "registry.test", Ports: []int{port}, Internal: true}}}, map[string][]string{"registry.test": loopback}).listen(b)
	c := d.client(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		resp, err := c.Get(fmt.Sprintf("https://registry.test:%d/", port))
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || int(n) != len(content) {
			b.Fatal(n, err)
		}
		_ = resp.Body.Close()
	}
}
