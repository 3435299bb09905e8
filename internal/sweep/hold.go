package sweep

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/longshift/longshift/internal/filelock"
)

// hold keeps other processes and goroutines from noting an owner of the folder and from removing it, until release is called or the process
// ends. noted is false for a folder without a note, which nobody removes: it is not held.
func hold(ctx context.Context, folder string) (release func(), noted bool, err error) {
	release, err = filelock.Take(ctx, filepath.Join(folder, ownerFile), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, false, nil
	}
	return release, err == nil, err
}

// errInUse is the error for a folder that has another owner now than when it was looked at.
var errInUse = errors.New("it is in use again")

// holdOf holds the folder of this owner. It fails with errInUse when the folder has another owner, or no note.
func holdOf(ctx context.Context, dir string, o Owner) (release func(), err error) {
	release, noted, err := hold(ctx, dir)
	if err != nil {
		return nil, err
	}
	now, known, err := ownerOf(dir)
	if err != nil || !noted || !known || now != o {
		release()
		return nil, errors.Join(err, errInUse)
	}
	return release, nil
}
