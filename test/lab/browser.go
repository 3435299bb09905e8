package lab

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Browser is a Chromium without a screen. It is steered through a pipe by its DevTools protocol.
type Browser struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan devtoolsAnswer
	gone    chan struct{}
}

type devtoolsAnswer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// StartBrowser starts Chromium. Without it the test is skipped, and fails where CI is set.
func StartBrowser(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("chromium is missing: %v", err)
		}
		t.Skipf("chromium is missing: %v", err)
	}
	toIt, in := pipe(t)
	out, fromIt := pipe(t)
	profile := t.TempDir()
	b := &Browser{t: t, in: in, waiting: map[int]chan devtoolsAnswer{}, gone: make(chan struct{})}
	b.cmd = exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	b.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + profile, "TZ=UTC", "LANG=C.UTF-8"}
	b.cmd.ExtraFiles = []*os.File{toIt, fromIt} // it reads 3 and writes 4
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := b.cmd.Start(); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	toIt.Close()
	fromIt.Close()
	go b.listen(out)
	t.Cleanup(func() {
		_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
		_ = b.cmd.Wait()
		<-b.gone
	})
	return b
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// listen hands each answer to the call that waits for it. Messages end with a zero byte.
func (b *Browser) listen(out io.Reader) {
	defer close(b.gone)
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a devtoolsAnswer
		if json.Unmarshal(text[:len(text)-1], &a) != nil || a.ID == 0 {
			continue // an event
		}
		b.mu.Lock()
		c := b.waiting[a.ID]
		delete(b.waiting, a.ID)
		b.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

// call calls a method of the protocol, of a page when session names one, and reads its result.
func (b *Browser) call(session, method string, params map[string]any, into any) {
	b.t.Helper()
	b.mu.Lock()
	b.last++
	id, c := b.last, make(chan devtoolsAnswer, 1)
	b.waiting[id] = c
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("call %s of chromium: %v", method, err)
	}
	select {
	case a := <-c:
		if a.Error != nil {
			b.t.Fatalf("%s of chromium: %s", method, a.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(a.Result, into); err != nil {
				b.t.Fatalf("answer to %s of chromium: %v", method, err)
			}
		}
	case <-b.gone:
		b.t.Fatalf("chromium has ended before it answered %s", method)
	case <-time.After(20 * time.Second):
		b.t.Fatalf("chromium does not answer %s", method)
	}
}

// Page is one open tab.
type Page struct {
	browser *Browser
	session string
}

// Open opens an address in a tab of this size, in pixels.
func (b *Browser) Open(address string, width, height int) *Page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{browser: b, session: attached.SessionID}
	b.call(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.Go(address)
	return p
}

// Go opens another address in the tab.
func (p *Page) Go(address string) {
	p.browser.t.Helper()
	p.browser.call(p.session, "Page.navigate", map[string]any{"url": address}, nil)
}

// Run runs a script in the page and gives the text it comes to.
func (p *Page) Run(script string) string {
	p.browser.t.Helper()
	var out struct {
		Result struct{ Value any }
	}
	p.browser.call(p.session, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &out)
	if out.Result.Value == nil {
		return ""
	}
	return fmt.Sprint(out.Result.Value)
}

// Text is what a person can read on the page, its frames included.
func (p *Page) Text() string {
	p.browser.t.Helper()
	return p.Run(`[document, ...[...document.querySelectorAll('iframe')].map(f => f.contentDocument)]
		.map(d => d && d.body ? d.body.innerText : '').join('\n')`)
}

// Shows waits until a person can read each of the texts on the page, and gives all that can be read then.
func (p *Page) Shows(texts ...string) (text string) {
	p.browser.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		text = p.Text()
		missing := slices.DeleteFunc(slices.Clone(texts), func(want string) bool { return strings.Contains(text, want) })
		if len(missing) == 0 {
			return text
		}
		select {
		case <-deadline.C:
			p.browser.t.Fatalf("the page does not show %q; it shows:\n%s", missing, text)
		case <-tick.C:
		}
	}
}

// Screenshot writes what the page looks like into a PNG: to a file of that name in the folder that LONGSHIFT_SCREENSHOTS
// names, or in one that the test removes.
func (p *Page) Screenshot(name string) string {
	p.browser.t.Helper()
	dir := os.Getenv("LONGSHIFT_SCREENSHOTS")
	if dir == "" {
		dir = p.browser.t.TempDir()
	}
	p.browser.call(p.session, "Page.bringToFront", nil, nil) // what is not in front is not drawn
	var shot struct{ Data string }
	p.browser.call(p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	file := filepath.Join(dir, name+".png")
	if err == nil {
		err = os.WriteFile(file, png, 0o644)
	}
	if err != nil {
		p.browser.t.Fatalf("keep the screenshot: %v", err)
	}
	return file
}
