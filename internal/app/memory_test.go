package app

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// The tightest of the machine and of the groups around the worker counts; files that are only cached are free.
func TestFreeMemory(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	machine := map[string]string{"proc/meminfo": "MemTotal:       16000000 kB\nMemAvailable:    8192000 kB\n"}
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
		known bool
	}{
		"no machine we know":      {nil, 0, false},
		"no group":                {machine, 8192000 << 10, true},
		"a group of version 1":    {with(machine, "proc/self/cgroup", "4:memory:/docker/x\n"), 8192000 << 10, true},
		"a group without a limit": {with(machine, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "max\n"), 8192000 << 10, true},
		"a container": {with(machine, "proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "1048576000\n", "sys/fs/cgroup/memory.current", "838860800\n",
			"sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 104857600\nactive_file 5\n"), 300 * mb, true},
		"a group further out": {with(machine, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "2097152000\n", "sys/fs/cgroup/a/b/memory.current", "0\n",
			"sys/fs/cgroup/a/memory.max", "104857600\n", "sys/fs/cgroup/a/memory.current", "52428800\n"), 50 * mb, true},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if free, known := freeMemory(root); free != c.want || known != c.known {
			t.Errorf("%s: %d, %v; want %d, %v", name, free, known, c.want, c.known)
		}
	}
	if free, known := freeMemory("/"); known && free <= 0 {
		t.Errorf("this machine: %d", free)
	}
}

// with gives files and more of them: name, text, and so on.
func with(files map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, files)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}
