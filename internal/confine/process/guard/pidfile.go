package guard

import (
	"encoding/json"
	"errors"
	"os"
	"path"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// PidFile is the content of a pid file: enough to identify the same processes again during the same boot.
type PidFile struct {
	Pid        int    `json:"pid"`
	Start      uint64 `json:"start"` // clock ticks since boot
	Guard      int    `json:"guard"`
	GuardStart uint64 `json:"guardStart"`
	Boot       string `json:"boot"`
	Session    string `json:"session,omitempty"`
}

func writePidFile(file string, child tree.Process, session string) error {
	self, err := tree.LookUp(os.Getpid())
	if err != nil {
		return err
	}
	b, err := json.Marshal(PidFile{child.Pid, child.Start, self.Pid, self.Start, tree.BootID(), session})
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(path.Dir(file), path.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
