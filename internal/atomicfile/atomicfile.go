// Package atomicfile replaces files in one step. It knows no other package of ours.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write replaces a file, which becomes readable and writable for its owner alone. After a crash the file has the old content or the new,
// never a part; a temporary file beside it, whose name begins with a dot and the file's name, may be left. The name itself is durable once
// the folder has been synced too.
func Write(path string, data []byte) error {
	return replace(path, data, func(*os.File) error { return nil })
}

// WriteLike is Write for a file that keeps the permissions it had and, if its owner belongs to it, the group.
func WriteLike(path string, data []byte, had fs.FileInfo) error {
	return replace(path, data, func(f *os.File) error {
		if stat, ok := had.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(-1, int(stat.Gid))
		}
		return f.Chmod(had.Mode().Perm())
	})
}

func replace(path string, data []byte, prepare func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, prepare(f), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
