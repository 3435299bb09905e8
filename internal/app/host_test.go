package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func TestHostIDIsMadeOnce(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "deep", "data") // made with it
	first, err := hostID(data)
	must(t, err)
	if !regexp.MustCompile(`^[a-z0-9-]+-[0-9a-f]{10}$`).MatchString(first) || !hostPattern.MatchString(first) {
		t.Errorf("the id is %q", first)
	}
	for range 3 {
		if again, err := hostID(data); err != nil || again != first {
			t.Errorf("got %q, %v; want %q", again, err, first)
		}
	}
	other, err := hostID(t.TempDir())
	if err != nil || other == first {
		t.Errorf("another data directory is the same host: %q, %v", other, err)
	}
	info, err := os.Stat(data)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the data directory has the mode %v", info.Mode())
	}
}

func TestGoroutinesAgreeOnTheHostID(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	ids := make([]string, 16)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			var err error
			if ids[i], err = hostID(data); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("different ids: %q", ids)
		}
	}
	if list, _ := os.ReadDir(data); len(list) != 1 {
		t.Errorf("%d files are in the data directory, want one", len(list))
	}
}

// Two workers that are started at once on one data directory are one host.
func TestProcessesAgreeOnTheHostID(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	program, err := os.Executable()
	must(t, err)
	ids := make([]string, 4)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			cmd := exec.Command(program)
			cmd.Env = []string{hostIDEnv + "=" + data}
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			ids[i] = string(out)
		})
	}
	all.Wait()
	own, err := hostID(data)
	must(t, err)
	for _, id := range ids {
		if id != own {
			t.Fatalf("the processes have %q, this one has %q", ids, own)
		}
	}
}

func TestBadHostID(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "\n", "ab", "Has Blanks", "../../etc", "UPPER-case", strings.Repeat("x", 65), "one\ntwo\n", "a/b-c"} {
		data := t.TempDir()
		file := filepath.Join(data, "host-id")
		must(t, os.WriteFile(file, []byte(content), 0o600))
		_, err := hostID(data)
		wantFault(t, err, fault.Input, "host-id", "remove it to make this a new host")
		if kept, err := os.ReadFile(file); err != nil || string(kept) != content {
			t.Errorf("the file holds %q now, %v", kept, err)
		}
	}
	data := t.TempDir()
	must(t, os.WriteFile(filepath.Join(data, "host-id"), []byte(" old-host-1 \n"), 0o600))
	if id, err := hostID(data); err != nil || id != "old-host-1" {
		t.Errorf("got %q, %v", id, err)
	}
}

func TestDataDirectoryThatCanNotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := hostID(filepath.Join(file, "data"))
	wantFault(t, err, fault.Input, "LONGSHIFT_DATA", file, "give a folder that can be written")
	data := t.TempDir()
	must(t, os.Mkdir(filepath.Join(data, "host-id"), 0o700))
	_, err = hostID(data)
	wantFault(t, err, fault.Infra, "read the host's id")
}

func TestSlugHost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Build-7.example.com": "build-7-example-com", "日本": "host", "": "host",
		strings.Repeat("a", 30): strings.Repeat("a", 24)} {
		if got := slugHost(name); got != want || !hostPattern.MatchString(got+"-0123456789") {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}
