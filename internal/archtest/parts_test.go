package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartsLooksForNode: stories of people run programs of Node.js, whether or not what tests install with npm is there already.
func TestPartsLooksForNode(t *testing.T) {
	bare := t.TempDir() // without apt-get nothing is installed
	for _, name := range []string{"bash", "dirname", "go", "id", "uname"} {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(bare, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join("..", "..", ".ci", "parts"), "test")
	cmd.Env = append(os.Environ(), "PATH="+bare)
	out, err := cmd.CombinedOutput()
	for _, name := range []string{"node", "npm"} {
		if err == nil || !strings.Contains(string(out), "make test needs "+name+"\n") {
			t.Errorf("nobody looks for %s (%v):\n%s", name, err, out)
		}
	}
}
