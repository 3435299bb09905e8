package workspace

import (
	"errors"
	"regexp"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// judge returns the fault that a failed git command stands for, where its output shows it.
func (r repo) judge(err error) error {
	var e *git.Error
	if !errors.As(err, &e) {
		return err
	}
	if unfit.MatchString(e.Stderr) {
		return fault.New(fault.Work, "%w; see .gitattributes, and how the file is encoded", err)
	}
	return disk.Fault(err, r.runner.data)
}

// unfit matches git's errors about a file whose content it can't convert. Only a change to the file or to .gitattributes resolves them.
var unfit = regexp.MustCompile(`(?m)^(fatal|error): (failed to encode '|encoding '.* and back is not the same` +
	`|BOM is (prohibited|required) in '|true/false are no valid working-tree-encodings)`)
