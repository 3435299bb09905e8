package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
)

// settingsName is the binary's own file in the home.
const settingsName = "home/.claude.json"

// settle leaves nothing of the session before in the state folder, and writes down whose conversation follows. No process but the binary's
// own, which waits, uses the folder. An error means that something may be left.
func (p *started) settle(s agent.Session, l launch) error {
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := forget(root, p.conversation); err != nil {
		return err
	}
	if err := program.WriteFile(root, settingsName, string(p.settings)); err != nil {
		return err
	}
	if err := l.write(root, s); err != nil {
		return err
	}
	return program.KeepID(s, conversationFile(s), p.conversation)
}

// forget leaves only what the process itself goes on with: the new conversation, and the shell settings for its commands, which it reads
// again before each.
func forget(root *os.Root, conversation string) error {
	own := fmt.Sprintf("tmp/claude-%d", os.Geteuid())
	for _, keep := range []struct {
		folder string
		names  []string
	}{
		{".", []string{"home", "tmp"}},
		{"home", []string{".claude"}},
		{"home/.claude", []string{"projects", "session-env", "shell-snapshots"}},
		{"home/.claude/session-env", []string{conversation}},
		{"tmp", []string{filepath.Base(own)}},
	} {
		if err := keepOnly(root, keep.folder, keep.names...); err != nil {
			return err
		}
	}
	for _, parent := range []string{"home/.claude/projects", own} { // one folder for each work tree
		folders, err := fs.ReadDir(root.FS(), parent)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, f := range folders {
			if err := keepOnly(root, filepath.Join(parent, f.Name()), conversation, conversation+".jsonl"); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepOnly removes everything in a folder but the named entries. What is not a folder is removed itself: to open a pipe would block.
func keepOnly(root *os.Root, folder string, names ...string) error {
	switch info, err := root.Lstat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return root.Remove(folder)
	}
	return program.KeepOnly(root, folder, names...)
}
