package devserver_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A user of a container need not have an entry in passwd, nor a name in the environment.
func TestUserWithoutName(t *testing.T) {
	cmd := exec.Command(binary, "server", "start-dev", "--headless", "--port", "0")
	cmd.Env = []string{"HOME=/"}
	cmd.SysProcAttr = withoutRights()
	var errs lockedBuffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Temporal Server:") {
			return
		}
	}
	t.Errorf("it does not serve:\n%s", errs.String())
}

// A file that was open in a server that was killed is read as it stands, and refused by the first write only.
func TestReadOnlyDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	launch(t, "-f", file, "--port", "0", "--headless").kill()
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "server", "start-dev", "--headless", "--port", "0", "-f", file)
	cmd.SysProcAttr = withoutRights()
	want := "longshift-devserver: database " + file + " cannot be written by this user: " +
		"change its permissions and those of its folder, or use another file\n"
	if out, err := cmd.CombinedOutput(); err == nil || string(out) != want {
		t.Errorf("%v\n got %s\nwant %s", err, out, want)
	}
}

// withoutRights has a process run as a user without a name who owns our files, and has none of the rights of root.
func withoutRights() *syscall.SysProcAttr {
	mapped := func(own int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 54321, HostID: own, Size: 1}}
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, Pdeathsig: syscall.SIGKILL,
		UidMappings: mapped(syscall.Getuid()), GidMappings: mapped(syscall.Getgid())}
}
