package inbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
)

// An item that does not fit fails, so that the platform delivers it again; it leaves no file, and earlier items stay.
func TestFullDisk(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	b := Box{Dir: filepath.Join(dir, "box"), Most: 10}
	now := time.Unix(1_760_000_000, 0)
	put := func(text string) error { _, err := b.Put([]byte(text), now); return err }
	if err := put("one"); err != nil {
		t.Fatal(err)
	}
	empty := disktest.Fill(t, dir, 0)
	if err := put("two"); fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "file system at "+dir+" is full") {
		t.Errorf("put on a full disk: %v", err)
	}
	if files, err := os.ReadDir(b.Dir); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	empty()
	if err := put("two, delivered again"); err != nil {
		t.Error(err)
	}
	if left, err := b.Left(); err != nil || len(left) != 2 || string(left[0].Payload) == string(left[1].Payload) {
		t.Errorf("left %d, %v", len(left), err)
	}
}
