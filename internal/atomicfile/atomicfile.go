// Package atomicfile replaces files in one step. It knows no other package of ours.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces a file, which becomes readable and writable for its owner alone. After a crash the file has the old content or the new,
// never a part; a temporary file beside it, whose name begins with a dot and the file's name, may be left. The name itself is durable once
// the folder has been synced too.
func Write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
