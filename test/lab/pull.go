package lab

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// PushTo puts a commit of a person on a branch of the remote.
func (s *Stage) PushTo(branch, file, content, message string) string {
	s.T.Helper()
	return gittest.Commit(s.T, s.Bare, branch, message, map[string]string{file: content})
}

func (s *Server) Signal(id, name string, payload any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return s.Client.SignalWorkflow(ctx, id, "", name, payload)
}

// Healthy waits until a server that was started again serves calls: its port opens a moment before.
func (s *Server) Healthy() {
	s.t.Helper()
	Eventually(s.t, 30*time.Second, "the server is healthy", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := s.Client.CheckHealth(ctx, &client.CheckHealthRequest{})
		return err == nil
	})
}
