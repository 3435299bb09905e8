package lab

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// What a test has started does not outlive a test process that is killed.
func TestProgramsEndWithTheTestProcess(t *testing.T) {
	const variable = "LAB_TEST_STARTS"
	if os.Getenv(variable) != "" {
		<-start(t, "/bin/sleep", []string{"600"}, nil, "sleep").done
		return
	}
	mark := fmt.Sprintf("%s=%d", variable, os.Getpid())
	self := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$")
	self.Env = append(os.Environ(), mark)
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = self.Process.Kill(); _ = self.Wait() })
	Eventually(t, 10*time.Second, "it has started a program", func() bool { return len(Marked(t, mark)) == 2 })
	if err := self.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	Eventually(t, 10*time.Second, "its program is gone", func() bool { return len(Marked(t, mark)) == 0 })
}
