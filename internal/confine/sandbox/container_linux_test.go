package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
)

// containerFilter is the seccomp profile that deploy uses for the worker's container.
const containerFilter = "../../../deploy/seccomp.json"

// containerCalls maps the engine's names of calls to numbers.
var containerCalls = map[string]uint32{
	"io_uring_setup": unix.SYS_IO_URING_SETUP, "io_uring_enter": unix.SYS_IO_URING_ENTER,
	"io_uring_register": unix.SYS_IO_URING_REGISTER, "ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV,
	"process_vm_writev": unix.SYS_PROCESS_VM_WRITEV, "process_madvise": unix.SYS_PROCESS_MADVISE,
	"pidfd_getfd": unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP, "bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN,
	"userfaultfd": unix.SYS_USERFAULTFD, "keyctl": unix.SYS_KEYCTL, "add_key": unix.SYS_ADD_KEY,
	"request_key": unix.SYS_REQUEST_KEY, "lookup_dcookie": unix.SYS_LOOKUP_DCOOKIE, "syslog": unix.SYS_SYSLOG,
	"move_mount": unix.SYS_MOVE_MOUNT, "open_tree": unix.SYS_OPEN_TREE, "open_tree_attr": unix.SYS_OPEN_TREE_ATTR,
	"fsopen": unix.SYS_FSOPEN, "fsconfig": unix.SYS_FSCONFIG, "fsmount": unix.SYS_FSMOUNT, "fspick": unix.SYS_FSPICK,
	"setns": unix.SYS_SETNS, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "fanotify_init": unix.SYS_FANOTIFY_INIT,
	"fanotify_mark": unix.SYS_FANOTIFY_MARK, "kexec_load": unix.SYS_KEXEC_LOAD, "kexec_file_load": unix.SYS_KEXEC_FILE_LOAD,
	"init_module": unix.SYS_INIT_MODULE, "finit_module": unix.SYS_FINIT_MODULE, "delete_module": unix.SYS_DELETE_MODULE,
	"reboot": unix.SYS_REBOOT, "swapon": unix.SYS_SWAPON, "swapoff": unix.SYS_SWAPOFF, "acct": unix.SYS_ACCT,
	"quotactl": unix.SYS_QUOTACTL, "quotactl_fd": unix.SYS_QUOTACTL_FD, "settimeofday": unix.SYS_SETTIMEOFDAY,
	"clock_settime": unix.SYS_CLOCK_SETTIME, "adjtimex": unix.SYS_ADJTIMEX, "clock_adjtime": unix.SYS_CLOCK_ADJTIME,
	"setdomainname": unix.SYS_SETDOMAINNAME, "vhangup": unix.SYS_VHANGUP, "nfsservctl": unix.SYS_NFSSERVCTL,
	"migrate_pages": unix.SYS_MIGRATE_PAGES, "move_pages": unix.SYS_MOVE_PAGES,
}

// refusedByContainer parses the profile. It supports one form only: everything is allowed except for listed calls.
func refusedByContainer() (calls []uint32, err error) {
	text, err := os.ReadFile(containerFilter)
	if err != nil {
		return nil, err
	}
	var profile struct {
		DefaultAction string
		Syscalls      []struct {
			Comment, Action string
			Names           []string
			ErrnoRet        int
		}
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&profile); err != nil {
		return nil, err
	}
	if len(profile.Syscalls) != 1 || profile.DefaultAction != "SCMP_ACT_ALLOW" || profile.Syscalls[0].Action != "SCMP_ACT_ERRNO" ||
		profile.Syscalls[0].ErrnoRet != int(unix.EPERM) {
		return nil, fmt.Errorf("%s has another form than this test knows", containerFilter)
	}
	for _, name := range profile.Syscalls[0].Names {
		call, known := containerCalls[name]
		if !known && !callsElsewhere[name] {
			return nil, fmt.Errorf("%s refuses %q, which is no call", containerFilter, name)
		}
		if known {
			calls = append(calls, call)
		}
	}
	return calls, nil
}

// In a container with the profile, every layer of the sandbox works.
func TestWorkerInAContainer(t *testing.T) {
	out := onHost(t, "what "+containerFilter+" refuses", "", "")
	for _, layer := range AllLayers() {
		if !strings.Contains(out, fmt.Sprintf("%s true ", layer)) {
			t.Errorf("layer %s: %s", layer, out)
		}
	}
	if !strings.Contains(out, "ran\n") {
		t.Errorf("no program has run: %s", out)
	}
}

// The container refuses the worker what a box refuses its programs, except for the calls that set up a box.
func TestContainerRefusesWhatNobodyNeeds(t *testing.T) {
	builds := map[uint32]bool{unix.SYS_MOUNT: true, unix.SYS_UMOUNT2: true, unix.SYS_PIVOT_ROOT: true, unix.SYS_CHROOT: true,
		unix.SYS_MOUNT_SETATTR: true, unix.SYS_UNSHARE: true, unix.SYS_SETHOSTNAME: true}
	calls, err := refusedByContainer()
	if err != nil {
		t.Fatal(err)
	}
	byContainer := map[uint32]bool{}
	for _, call := range calls {
		byContainer[call] = true
	}
	for _, call := range inner.Refused() {
		if byContainer[call] == builds[call] {
			t.Errorf("call %d: refused in the container: %t, needed to build a box: %t", call, byContainer[call], builds[call])
		}
	}
}
