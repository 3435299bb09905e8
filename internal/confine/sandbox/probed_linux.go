package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
)

// init makes a process that the inner init leaves to it the confined part of the probe, and does not return then.
func init() {
	if filepath.Base(os.Args[0]) == inner.Name {
		probeMain(os.Args[2:])
		syscall.Exit(0) // os.Exit takes a second more under the race detector
	}
}

// probeMain is the confined part of the probe: it tries what must fail and reports what succeeded.
func probeMain(args []string) {
	var o probeOrder
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &o) != nil {
		fmt.Println("the probe was given no order")
		return
	}
	f := findings{Calls: tryCalls(), Landlock: tryFence(o.Fence), Echo: tryEcho(o.Port)}
	for name, own := range ownNamespaces() {
		if o.HostNS[name] == own {
			f.SharedNS = append(f.SharedNS, name)
		}
	}
	slices.Sort(f.SharedNS)
	for _, path := range []string{"/", "/proc", "/dev", "/sys"} {
		var st unix.Statfs_t
		if err := unix.Statfs(path, &st); err == nil && st.Flags&unix.ST_RDONLY == 0 {
			f.Writable = append(f.Writable, path)
		}
	}
	status, _ := os.ReadFile("/proc/self/status")
	f.Caps = !strings.Contains(string(status), "CapPrm:\t0000000000000000") || !strings.Contains(string(status), "NoNewPrivs:\t1")
	f.Interfaces = interfaces()
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil {
		f.FileSize = limit.Cur
	}
	f.Forks = tryForks(o.Forks)
	json.NewEncoder(os.Stdout).Encode(f)
}

// tryCalls makes system calls that the filter must refuse and the kernel alone would not.
func tryCalls() []string {
	var through []string
	try := func(name string, want unix.Errno, call uintptr, args ...uintptr) {
		a := append(args, 0, 0, 0)
		if _, _, errno := unix.Syscall(call, a[0], a[1], a[2]); errno != want {
			through = append(through, fmt.Sprintf("%s (%v)", name, errno))
		}
	}
	try("unshare", unix.EPERM, unix.SYS_UNSHARE, 0) // flags 0 unshare nothing: without the filter it succeeds
	try("clone3", unix.ENOSYS, unix.SYS_CLONE3)
	try("io_uring_setup", unix.EPERM, unix.SYS_IO_URING_SETUP)
	try("bpf", unix.EPERM, unix.SYS_BPF, ^uintptr(0))
	try("socket of another family", unix.EAFNOSUPPORT, unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM)
	try("raw socket", unix.ESOCKTNOSUPPORT, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW)
	return through
}

// tryFence returns the Landlock ABI when Landlock, and nothing else, prevents a write.
func tryFence(path string) int {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		f.Close()
		return 0
	}
	if !os.IsPermission(err) {
		return 0
	}
	level, _ := inner.LandlockLevel()
	return level
}

func tryEcho(port int) string {
	if port == 0 {
		return ""
	}
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 5*time.Second)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	back := make([]byte, 4)
	if _, err = io.WriteString(c, "ping"); err == nil {
		_, err = io.ReadFull(c, back)
	}
	if err != nil {
		return err.Error()
	}
	if string(back) != "ping" {
		return fmt.Sprintf("it said %q", back)
	}
	return ""
}

func interfaces() []string {
	b, _ := os.ReadFile("/proc/self/net/dev")
	var out []string
	for line := range strings.Lines(string(b)) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			out = append(out, strings.TrimSpace(name))
		}
	}
	return out
}

// tryForks has a shell start n children that wait, and reports whether all started.
func tryForks(n int) bool {
	var pipe [2]int
	if unix.Pipe2(pipe[:], unix.O_CLOEXEC) != nil {
		return true
	}
	null, err := unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return true
	}
	script := fmt.Sprintf("exec 3<&0; i=0; while [ $i -lt %d ]; do { read x; } <&3 & i=$((i+1)); done", n)
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", script}, &os.ProcAttr{
		Files: []*os.File{os.NewFile(uintptr(pipe[0]), "pipe"), os.NewFile(uintptr(null), "null"), os.NewFile(uintptr(null), "null")},
		Sys:   &unix.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return false // not even the shell could be started
	}
	state, err := p.Wait()
	unix.Kill(-p.Pid, unix.SIGKILL)
	return err == nil && state.Success()
}
