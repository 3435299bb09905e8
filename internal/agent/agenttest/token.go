package agenttest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
)

// TellsNoToken checks the errors of calls that get no answer: they go into histories and chats, and the address of the gateway has the
// session's token in its path. ask makes one call of a model.
func TellsNoToken(t *testing.T, ask func(ctx context.Context, client *http.Client, e agent.Endpoint) error) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client has gone
		<-r.Context().Done()
	}))
	t.Cleanup(hung.Close)
	for name, c := range map[string]struct {
		base    string
		client  time.Duration // its patience; 0 for that of the context
		session time.Duration // until the context ends
		text    string
	}{
		"closed":              {closed.URL, 0, time.Minute, "connection refused"},
		"the session ends":    {hung.URL, 0, 100 * time.Millisecond, "deadline exceeded"},
		"the client gives up": {hung.URL, 10 * time.Millisecond, time.Minute, "Client.Timeout exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), c.session)
			defer stop()
			WithoutToken(t, ask(ctx, &http.Client{Timeout: c.client}, TokenInPath(c.base)), c.text)
		})
	}
}

const sessionToken = "session-token"

// TokenInPath is an endpoint below an address, as the gateway has them.
func TokenInPath(base string) agent.Endpoint {
	return agent.Endpoint{BaseURL: base + "/s/" + sessionToken, Token: sessionToken}
}

// WithoutToken checks that an error has a text, and nothing of the token of TokenInPath.
func WithoutToken(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), sessionToken) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v", err)
	}
}
