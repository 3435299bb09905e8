package devserver_test

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A user of a container need not have an entry in passwd, nor a name in the environment.
func TestUserWithoutName(t *testing.T) {
	cmd := exec.Command(binary, "server", "start-dev", "--headless", "--port", "0")
	cmd.Env = []string{"HOME=/"}
	mapped := func(own int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 54321, HostID: own, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, Pdeathsig: syscall.SIGKILL,
		UidMappings: mapped(syscall.Getuid()), GidMappings: mapped(syscall.Getgid())}
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
