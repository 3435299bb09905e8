package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/process/tree"
)

// ReapPidFile kills the guard and the session that the pid file names, if they still run, and removes the file. It does
// nothing when the file does not exist, and fails when it can't be read.
func ReapPidFile(ctx context.Context, path string) (int, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, fmt.Errorf("read pid file: %w", err)
	}
	var f guard.PidFile
	if err := json.Unmarshal(b, &f); err != nil || f.Pid <= 0 {
		return 0, fmt.Errorf("pid file %s is damaged: %w", path, errors.Join(err, errors.New("no process id in it")))
	}
	n := 0
	if f.Boot == tree.BootID() {
		roots := []tree.Process{{Pid: f.Pid, Start: f.Start}, {Pid: f.Guard, Start: f.GuardStart}}
		if n, err = reap(ctx, reapGrace, finder{roots: roots, session: f.Session}); err != nil {
			return n, fmt.Errorf("reap %s: %w", path, err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the guard may have removed it
		return n, fmt.Errorf("remove pid file: %w", err)
	}
	return n, nil
}
