package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/disk/disktest"
)

func TestFull(t *testing.T) {
	dir := disktest.Small(t, 80<<20)
	if dir == "" {
		return
	}
	if err := Full(dir); err != nil {
		t.Fatal(err)
	}
	empty := disktest.Fill(t, dir)
	says(t, Full(dir), "file system at "+dir+" is full")
	empty()
	if err := os.WriteFile(filepath.Join(dir, "some"), make([]byte, 30<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	says(t, Full(dir), "is full") // something fits, a session does not
}
