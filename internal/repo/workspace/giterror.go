package workspace

import (
	"errors"
	"regexp"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// judge says whose fault a failed git is, where that can be seen.
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

// unfit is what git says of a file that it can't take for what the file holds: whoever wrote it, and .gitattributes, can mend that, and
// nobody else can.
var unfit = regexp.MustCompile(`(?m)^(fatal|error): (failed to encode '|encoding '.* and back is not the same|BOM is (prohibited|required) in '|true/false are no valid working-tree-encodings)`)
