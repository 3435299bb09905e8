package disk

import (
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
	empty := disktest.Fill(t, dir, 0)
	says(t, Full(dir), "file system at "+dir+" is full")
	empty()
	defer disktest.Fill(t, dir, 30<<20)()
	says(t, Full(dir), "is full") // something fits, a session does not
}
