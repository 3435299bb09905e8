package lab

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/workspace/gittest"
)

// PushTo puts a commit of a person on a branch of the remote.
func (s *Stage) PushTo(branch, file, content, message string) string {
	s.T.Helper()
	return gittest.Commit(s.T, s.Bare, branch, message, map[string]string{file: content})
}

// Signal signals a workflow by its id.
func (s *Server) Signal(id, name string, payload any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return s.Client.SignalWorkflow(ctx, id, "", name, payload)
}
