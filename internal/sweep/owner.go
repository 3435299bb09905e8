package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/disk"
)

// Owner is the workflow that a task's folder was last created for.
type Owner struct {
	Workflow string    `json:"workflow"`
	Run      string    `json:"run"`
	Ended    time.Time `json:"ended,omitzero"` // when it was first seen to have ended; the server forgets old workflows
}

const ownerFile = "owner.json"

// Note records the owner of a folder, so that the host can ask the server about the task later. It waits for a removal of the folder that has
// begun.
func Note(ctx context.Context, folder string, o Owner) error {
	release, _, err := hold(ctx, folder)
	if err == nil {
		defer release()
		err = writeNote(folder, o)
	}
	if err != nil {
		return disk.Fault(fmt.Errorf("note whose folder it is: %w", err), folder)
	}
	return nil
}

// writeNote replaces the note in one step. The caller holds the folder.
func writeNote(folder string, o Owner) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, ownerFile), data)
}

// Leave removes a folder that contains nothing but the owner's note.
func Leave(ctx context.Context, folder string) error {
	release, _, err := hold(ctx, folder)
	if err != nil {
		return err
	}
	defer release()
	switch list, err := os.ReadDir(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(list) > 1 || len(list) == 1 && list[0].Name() != ownerFile:
		return nil
	}
	return os.RemoveAll(folder)
}

// ownerOf returns ok = false if the note is missing or unreadable.
func ownerOf(folder string) (o Owner, ok bool, err error) {
	data, err := os.ReadFile(filepath.Join(folder, ownerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return o, false, nil
	} else if err != nil {
		return o, false, fmt.Errorf("read whose folder it is: %w", err)
	}
	return o, json.Unmarshal(data, &o) == nil && o.Workflow != "" && o.Run != "", nil
}
