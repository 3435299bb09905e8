package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pidFile is the content of a pid file: enough to identify the same processes again during the same boot.
type pidFile struct {
	Pid        int    `json:"pid"`
	Start      uint64 `json:"start"` // clock ticks since boot
	Guard      int    `json:"guard"`
	GuardStart uint64 `json:"guardStart"`
	Boot       string `json:"boot"`
	Session    string `json:"session,omitempty"`
}

// writePidFile is called by the guard.
func writePidFile(path string, child proc, session string) error {
	self, err := lookUp(os.Getpid())
	if err != nil {
		return err
	}
	b, err := json.Marshal(pidFile{child.pid, child.start, self.pid, self.start, bootID(), session})
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// ReapPidFile kills the guard and the session that the pid file names, if they still run, and removes the file. It does
// nothing when the file does not exist, and fails when it can't be read.
func ReapPidFile(ctx context.Context, path string) (int, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, fmt.Errorf("read pid file: %w", err)
	}
	var f pidFile
	if err := json.Unmarshal(b, &f); err != nil || f.Pid <= 0 {
		return 0, fmt.Errorf("pid file %s is damaged: %w", path, errors.Join(err, errors.New("no process id in it")))
	}
	n := 0
	if f.Boot == bootID() {
		roots := []proc{{pid: f.Pid, start: f.Start}, {pid: f.Guard, start: f.GuardStart}}
		if n, err = reap(ctx, reapGrace, finder{roots: roots, session: f.Session}); err != nil {
			return n, fmt.Errorf("reap %s: %w", path, err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the guard may have removed it
		return n, fmt.Errorf("remove pid file: %w", err)
	}
	return n, nil
}
