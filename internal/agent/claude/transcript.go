package claude

import (
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// transcripts lists the binary's files for the session: one, unless the workspace has moved.
func transcripts(s agent.Session) []string {
	files, _ := filepath.Glob(filepath.Join(glob(home(s)), ".claude", "projects", "*", s.ID+".jsonl"))
	return files
}

func hasTranscript(s agent.Session) bool { return len(transcripts(s)) > 0 }

// setAsideTranscript renames a file that the binary can't resume from, to free the id. A process that is killed right after its start
// leaves such a file.
func setAsideTranscript(s agent.Session) error {
	for _, f := range transcripts(s) {
		if err := os.Rename(f, f+".unusable"); err != nil {
			return fault.New(fault.Infra, "set transcript aside: %w", err)
		}
	}
	return nil
}

// glob escapes a path for use in a pattern.
func glob(path string) string {
	out := make([]byte, 0, len(path))
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
