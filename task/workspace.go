package task

import (
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// CheckWorkspaceName accepts the name of a folder directly in another one that is not hidden. It rejects anything that could lead
// elsewhere or is unreadable, with a fault of kind Input. It does not access the disk.
func CheckWorkspaceName(name string) error {
	const most = 255 // limit of file systems
	why := ""
	switch {
	case name == "":
		return fault.New(fault.Input, "the name of the workspace is missing").WithHint("see `workspaces list`")
	case len(name) > most:
		name, why = excerpt.Clip(name, 20), "longer than a name of a folder"
	case strings.ContainsAny(name, `/\`):
		why = "a path"
	case strings.HasPrefix(name, "."):
		why = "hidden, or leads elsewhere"
	case strings.TrimSpace(name) != name:
		why = "begins or ends with a space"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, Hidden):
		why = "holds characters that nobody can read"
	default:
		return nil
	}
	return fault.New(fault.Input, "workspace %q: %s", name, why).
		WithHint("give the name of a folder that lies directly in the projects folder")
}
