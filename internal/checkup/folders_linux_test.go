package checkup

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/signals"
)

// A full disk is told as such, with its figure, and not as a folder that this user may not write to.
func TestFullDisk(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	defer disktest.Fill(t, dir, 0)()
	conf := process(t, map[string]string{"LONGSHIFT_ROLE": "control", "LONGSHIFT_DATA": filepath.Join(dir, "data")})
	got := map[string]Finding{}
	for _, f := range (&Machine{Git: someGit("2.31.0")}).All(t.Context(), conf) {
		got[f.Check] = f
	}
	data, disk := got["data folder"], got["disk"]
	if data.State != signals.HostFail || !strings.Contains(data.Detail, dir+" is full") || !strings.HasPrefix(data.Hint, "make room") {
		t.Errorf("data folder: %+v", data)
	}
	if disk.State != signals.HostFail || disk.Detail != "0.0 GiB free" || !strings.HasPrefix(disk.Hint, "make room") {
		t.Errorf("disk: %+v", disk)
	}
}
