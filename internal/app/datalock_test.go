package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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
	defer syscall.Close(copied(t, filepath.Join(dir, lockFile))) // as a program that is being started has one
	unlock()
	ending, err := lockData(dir)
	must(t, err)
	time.AfterFunc(endsWithin/10, ending)
	again, err := lockData(dir) // waits for one that is about to end
	must(t, err)
	again()
}

// copied is a copy of the descriptor by which this process has the file open.
func copied(t *testing.T, file string) int {
	t.Helper()
	open, err := filepath.Glob("/dev/fd/*")
	must(t, err)
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && to == file {
			n, err := strconv.Atoi(filepath.Base(fd))
			must(t, err)
			n, err = syscall.Dup(n)
			must(t, err)
			return n
		}
	}
	t.Fatalf("%s is not open", file)
	return -1
}
