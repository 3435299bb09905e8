package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// plainObjects returns an error if something below .git/objects is neither a folder nor a file. Git makes nothing else there. Behind a link our
// git would take objects of another repository, or wait for a pipe until its time is over. The walk follows no links and reads no objects.
// It is short, because most objects are in the alternates.
func plainObjects(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".git/objects", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // the agent's git has removed it meanwhile
			return nil
		case err != nil:
			return err
		case !d.IsDir() && !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a folder nor a file", name)
		}
		return nil
	})
}
