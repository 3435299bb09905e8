package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
)

// ownProgram returns this test binary, playing the given part, as a program to confine.
func ownProgram(t testing.TB, c *Spec, part string, env ...string) process.Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.Readable = append(c.Readable, filepath.Dir(exe))
	return process.Spec{Path: exe, Dir: c.Work, Grace: -1, Env: append(env, testPath, "SANDBOX_TEST_PART="+part)}
}

// attackMain makes calls that must be refused, with arguments that would have an effect, and prints the results.
func attackMain() {
	self := uintptr(os.Getpid())
	word := func(s string) uintptr {
		b, _ := unix.BytePtrFromString(s)
		return uintptr(unsafe.Pointer(b))
	}
	var room [256]byte
	buf := uintptr(unsafe.Pointer(&room[0]))
	for _, a := range []struct {
		name string
		call uintptr
		args []uintptr
	}{
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, []uintptr{1, buf}},
		{"ptrace traceme", unix.SYS_PTRACE, []uintptr{unix.PTRACE_TRACEME}},
		{"ptrace attach init", unix.SYS_PTRACE, []uintptr{unix.PTRACE_SEIZE, 1}},
		{"process_vm_readv", unix.SYS_PROCESS_VM_READV, []uintptr{self, buf, 1, buf, 1}},
		{"process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, []uintptr{self, buf, 1, buf, 1}},
		{"pidfd_getfd", unix.SYS_PIDFD_GETFD, []uintptr{0, 0}},
		{"kcmp", unix.SYS_KCMP, []uintptr{self, self, 0, 0, 0}},
		{"bpf", unix.SYS_BPF, []uintptr{0, buf, 48}},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, []uintptr{buf, 0, ^uintptr(0), ^uintptr(0)}},
		{"userfaultfd", unix.SYS_USERFAULTFD, []uintptr{1}},
		{"add_key", unix.SYS_ADD_KEY, []uintptr{word("user"), word("x"), word("y"), 1, ^uintptr(3) + 1}},
		{"keyctl", unix.SYS_KEYCTL, []uintptr{0, ^uintptr(3) + 1}},
		{"request_key", unix.SYS_REQUEST_KEY, []uintptr{word("user"), word("x"), 0, 0}},
		{"mount", unix.SYS_MOUNT, []uintptr{word("none"), word("/tmp"), word("tmpfs")}},
		{"umount", unix.SYS_UMOUNT2, []uintptr{word("/tmp"), unix.MNT_DETACH}},
		{"pivot_root", unix.SYS_PIVOT_ROOT, []uintptr{word("/tmp"), word("/tmp")}},
		{"chroot", unix.SYS_CHROOT, []uintptr{word("/tmp")}},
		{"open_tree", unix.SYS_OPEN_TREE, []uintptr{^uintptr(99), word("/"), 1}},
		{"open_tree_attr", unix.SYS_OPEN_TREE_ATTR, []uintptr{^uintptr(99), word("/"), 1}},
		{"move_mount", unix.SYS_MOVE_MOUNT, []uintptr{0, word(""), 0, word("")}},
		{"mount_setattr", unix.SYS_MOUNT_SETATTR, []uintptr{^uintptr(99), word("/"), 0, buf, 32}},
		{"fsopen", unix.SYS_FSOPEN, []uintptr{word("tmpfs"), 0}},
		{"fsconfig", unix.SYS_FSCONFIG, []uintptr{0, 6}},
		{"fsmount", unix.SYS_FSMOUNT, []uintptr{0}},
		{"fspick", unix.SYS_FSPICK, []uintptr{^uintptr(99), word("/")}},
		{"unshare user", unix.SYS_UNSHARE, []uintptr{unix.CLONE_NEWUSER}},
		{"unshare mounts", unix.SYS_UNSHARE, []uintptr{unix.CLONE_NEWNS}},
		{"setns", unix.SYS_SETNS, []uintptr{0, 0}},
		{"clone into a user namespace", unix.SYS_CLONE, []uintptr{unix.CLONE_NEWUSER | uintptr(unix.SIGCHLD)}},
		{"clone into a network", unix.SYS_CLONE, []uintptr{unix.CLONE_NEWNET | uintptr(unix.SIGCHLD)}},
		{"clone3", unix.SYS_CLONE3, []uintptr{buf, 64}},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, []uintptr{0, buf, 0}},
		{"fanotify_init", unix.SYS_FANOTIFY_INIT, []uintptr{0, 0}},
		{"kexec_load", unix.SYS_KEXEC_LOAD, nil},
		{"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD, nil},
		{"init_module", unix.SYS_INIT_MODULE, []uintptr{buf, 1, word("")}},
		{"finit_module", unix.SYS_FINIT_MODULE, []uintptr{0, word(""), 0}},
		{"delete_module", unix.SYS_DELETE_MODULE, []uintptr{word("x"), 0}},
		{"reboot", unix.SYS_REBOOT, []uintptr{0xfee1dead, 672274793, 0}},
		{"swapon", unix.SYS_SWAPON, []uintptr{word("/none"), 0}},
		{"acct", unix.SYS_ACCT, []uintptr{0}},
		{"quotactl", unix.SYS_QUOTACTL, []uintptr{0, 0, 0, 0}},
		{"clock_settime", unix.SYS_CLOCK_SETTIME, []uintptr{99, buf}},
		{"sethostname", unix.SYS_SETHOSTNAME, []uintptr{word("owned"), 5}},
		{"syslog", unix.SYS_SYSLOG, []uintptr{3, buf, 256}},
		{"personality", unix.SYS_PERSONALITY, []uintptr{0x0400000}},
		{"a call nobody knows", 1000, nil},
		{"TIOCSTI", unix.SYS_IOCTL, []uintptr{0, unix.TIOCSTI, word("x")}},
		{"TIOCSTI, upper half set", unix.SYS_IOCTL, []uintptr{0, 1<<32 | unix.TIOCSTI, word("x")}},
		{"TIOCLINUX", unix.SYS_IOCTL, []uintptr{0, unix.TIOCLINUX, buf}},
		{"packet socket", unix.SYS_SOCKET, []uintptr{unix.AF_PACKET, unix.SOCK_RAW, 0}},
		{"vsock", unix.SYS_SOCKET, []uintptr{unix.AF_VSOCK, unix.SOCK_STREAM, 0}},
		{"vsock, upper half set", unix.SYS_SOCKET, []uintptr{1<<32 | unix.AF_VSOCK, unix.SOCK_STREAM, 0}},
		{"bluetooth", unix.SYS_SOCKET, []uintptr{unix.AF_BLUETOOTH, unix.SOCK_RAW, 1}},
		{"kernel crypto", unix.SYS_SOCKET, []uintptr{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}},
		{"raw socket", unix.SYS_SOCKET, []uintptr{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}},
		{"raw socket with flags", unix.SYS_SOCKET, []uintptr{unix.AF_INET6, unix.SOCK_RAW | unix.SOCK_CLOEXEC, 255}},
		{"sctp", unix.SYS_SOCKET, []uintptr{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}},
		{"mptcp", unix.SYS_SOCKET, []uintptr{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}},
		{"ping socket", unix.SYS_SOCKET, []uintptr{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}},
		{"netfilter", unix.SYS_SOCKET, []uintptr{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}},
		{"socket diagnosis", unix.SYS_SOCKET, []uintptr{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG}},
		{"generic netlink", unix.SYS_SOCKET, []uintptr{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC}},
		{"tipc pair", unix.SYS_SOCKETPAIR, []uintptr{unix.AF_TIPC, unix.SOCK_STREAM, 0, buf}},
	} {
		args := append(slices.Clone(a.args), make([]uintptr, 6-len(a.args))...)
		_, _, errno := unix.RawSyscall6(a.call, args[0], args[1], args[2], args[3], args[4], args[5])
		if errno == 0 && unix.Getpid() != int(self) {
			unix.Exit(0) // the child of the clone
		}
		fmt.Printf("%s: %s\n", a.name, unix.ErrnoName(errno))
	}
}

// expectedErrors are the results other than EPERM.
var expectedErrors = map[string]string{
	"clone3": "ENOSYS", "a call nobody knows": "ENOSYS",
	"packet socket": "EAFNOSUPPORT", "vsock": "EAFNOSUPPORT", "vsock, upper half set": "EAFNOSUPPORT", "bluetooth": "EAFNOSUPPORT",
	"kernel crypto": "EAFNOSUPPORT", "tipc pair": "EAFNOSUPPORT",
	"raw socket": "ESOCKTNOSUPPORT", "raw socket with flags": "ESOCKTNOSUPPORT",
	"sctp": "EPROTONOSUPPORT", "mptcp": "EPROTONOSUPPORT", "ping socket": "EPROTONOSUPPORT",
	"netfilter": "EPROTONOSUPPORT", "socket diagnosis": "EPROTONOSUPPORT", "generic netlink": "EPROTONOSUPPORT",
}

func TestCallsAreRefused(t *testing.T) {
	c := workIn(t)
	r := inside(t, c, ownProgram(t, &c, "attack"))
	n := 0
	for line := range strings.Lines(r.Output) {
		name, got, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want := "EPERM"
		if w, ok := expectedErrors[name]; ok {
			want = w
		}
		if n++; got != want {
			t.Errorf("%s gives %q, want %s", name, got, want)
		}
	}
	if n < 60 || !r.Success() {
		t.Errorf("%d answers, %s: %s", n, r.Exit, r.Output)
	}
}
