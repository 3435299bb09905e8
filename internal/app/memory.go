package app

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// freeMemory returns how many bytes of memory programs can still get: the machine's free memory, limited by every cgroup (version 2) of
// this process. known is false if the system does not report it. root is "/" except in tests.
func freeMemory(root string) (free int64, known bool) {
	kb, ok := field(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
	if !ok {
		return 0, false
	}
	free = kb << 10
	group, ok := ownGroup(filepath.Join(root, "proc/self/cgroup"))
	for ok {
		dir := filepath.Join(root, "sys/fs/cgroup", group)
		if most, limited := limit(filepath.Join(dir, "memory.max")); limited {
			used, _ := limit(filepath.Join(dir, "memory.current"))
			files, _ := field(filepath.Join(dir, "memory.stat"), "inactive_file") // the kernel reclaims these first
			free = min(free, most-used+files)
		}
		ok = group != "/"
		group = path.Dir(group)
	}
	return free, true
}

// ownGroup reads the path of this process's version 2 cgroup.
func ownGroup(file string) (string, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path.Clean("/" + group), true
		}
	}
	return "", false
}

// limit reads a file with one number; "max" means no limit.
func limit(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	return n, err == nil
}

// field reads one value of a file with a name and a number on each line.
func field(file, name string) (n int64, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var key string
		if _, err := fmt.Sscan(lines.Text(), &key, &n); err == nil && key == name {
			return n, true
		}
	}
	return 0, false
}
