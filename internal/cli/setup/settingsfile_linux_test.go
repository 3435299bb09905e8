package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
)

// Settings that find no room are a fault of this machine, and no server is at fault. What was there stays.
func TestWriteOnAFullDisk(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	path := filepath.Join(dir, ".longshift.yaml")
	if err := os.WriteFile(path, []byte("setup: a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := readSettingsFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	empty := disktest.Fill(t, dir, 0)
	err = f.write([]byte("setup: b\n"))
	empty()
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "room") {
		t.Errorf("kind %s: %v", fault.KindOf(err), err)
	}
	left, _ := os.ReadDir(dir)
	if now, err := os.ReadFile(path); err != nil || string(now) != "setup: a\n" || len(left) != 1 {
		t.Errorf("%q, %v, left %v", now, err, left)
	}
}
