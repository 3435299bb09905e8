package app

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// Two workers on one data directory would be one host: the second one says who has it, and ends.
func TestOneWorkerOnADataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	unlock, err := lockData(dir)
	must(t, err)
	var out bytes.Buffer
	code := WorkerMain(nil, lookup("LONGSHIFT_DATA="+dir), &out)
	said, way, _ := strings.Cut(out.String(), "; ")
	if want := fmt.Sprintf("is in use by another worker, process %d", os.Getpid()); code != fault.ExitConflict || !strings.Contains(said, dir) ||
		!strings.HasSuffix(said, want) || !strings.Contains(way, "LONGSHIFT_DATA") || strings.Count(way, "\n") != 1 {
		t.Errorf("code %d:\n%s", code, out.String())
	}
	unlock()
	again, err := lockData(dir)
	must(t, err)
	again()
}
