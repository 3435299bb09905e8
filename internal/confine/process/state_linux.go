package process

import (
	"fmt"
	"os"
	"syscall"
)

// stampOf is what changes whenever a file does, whoever changes it, and the file system that the file is on.
func stampOf(info os.FileInfo) (stamp string, device uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", 0
	}
	return fmt.Sprint(stat.Mode, stat.Ino, stat.Size, stat.Ctim), uint64(stat.Dev) //nolint:unconvert // its type differs by architecture
}
