package lab

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
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

// StartBrowser starts Chromium. Without it the test is skipped, and fails where CI is set.
func StartBrowser(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		path, err = exec.LookPath("/usr/bin/chromium")
	}
	if err != nil {
		missing(t, "chromium is missing: %v", err)
	}
	toIt, in := pipe(t)
	out, fromIt := pipe(t)
	profile := t.TempDir()
	b := &Browser{t: t, in: in, waiting: map[int]chan devtoolsAnswer{}, gone: make(chan struct{})}
	b.cmd = exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--disable-sync", "--disable-dev-shm-usage",
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
