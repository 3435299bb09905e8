package checkup

import (
	"cmp"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
)

// Bounds for the free space of the data folder's disk.
const (
	diskLeast = 500 << 20
	diskGood  = 5 << 30
)

// MakeData makes the data folder, for this user alone: it will hold workspaces and logs.
func MakeData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(fmt.Errorf("make data folder: %w", err))
	}
	return nil
}

// checkData writes a file into the data folder and removes it.
func checkData(dir string) Finding {
	if err := MakeData(dir); err != nil {
		return Failed("data folder", err)
	}
	file, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		_, err = file.WriteString("ok")
		err = cmp.Or(err, file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		return Failed("data folder", unwritable(err))
	}
	return good("data folder", dir)
}

// unwritable gives an error of the data folder its way out: another folder or, where the disk is full, more room.
func unwritable(err error) error {
	return disk.Ours(fault.New(fault.Denied, "%w", err).WithHint("set LONGSHIFT_DATA to a folder that you can write to"))
}

// checkTaskFolders looks for the folders that tasks get a copy of, or are shown. A worker starts without them, and so does a task.
func checkTaskFolders(conf config.Config) (findings []Finding) {
	look := func(variable, dir string) {
		if _, err := os.Stat(dir); err != nil {
			detail := fmt.Sprintf("%s: %v", variable, err)
			findings = append(findings, warn("folder for tasks", detail, "mount it, make it, or correct "+variable))
		}
	}
	if cache := conf.Tasks.Cache; cache != "" && cache != config.CacheNone {
		look("LONGSHIFT_CACHE", cache)
	}
	for _, dir := range conf.Commands.Readable {
		look("LONGSHIFT_READABLE", dir)
	}
	return findings
}

func checkDisk(dir string) Finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Failed("disk", fmt.Errorf("read free space: %w", err))
	}
	return freeDisk(uint64(s.Bavail) * uint64(s.Bsize))
}

func freeDisk(free uint64) Finding {
	detail := fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30))
	switch {
	case free < diskLeast:
		return fail("disk", detail, "make room, or set LONGSHIFT_DATA to another disk")
	case free < diskGood:
		return warn("disk", detail, "large repositories will fill it; make room, or set LONGSHIFT_DATA to another disk")
	}
	return good("disk", detail)
}
