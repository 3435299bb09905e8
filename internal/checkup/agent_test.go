package checkup

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// programs are none but those that are named by their paths.
type programs struct{}

func (programs) Program(string) (string, error) { return "", os.ErrNotExist }
func (programs) Bare() []string                 { return nil }

// TestServerWithoutKey: a server of one's own that needs no key is as good as a key, and is asked once.
func TestServerWithoutKey(t *testing.T) {
	var asked atomic.Int32
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"object":"list","data":[]}`))
	}))
	defer own.Close()
	binary := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho 1.2.3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := &Machine{Programs: programs{}, Tested: map[string]string{task.AgentOpenCode: "1.2.3", task.AgentCodex: "1.2.3"},
		OpenAI: func(ctx context.Context, c config.Config) (string, error) {
			return gateway.Try(ctx, gateway.Config{Endpoint: gateway.Endpoint{Upstream: c.Model.URL, Credential: nobody},
				OpenAI: &gateway.Endpoint{Upstream: c.Model.OpenAIURL, Credential: nobody}}, gateway.OpenAI)
		}}
	for agent, checks := range map[string][]string{task.AgentNative: {OfNative, OfOpenAI}, task.AgentOpenCode: {OfOpenCode, "opencode key", OfOpenAI}, task.AgentCodex: {OfCodex, OfOpenAI}} {
		t.Run(agent, func(t *testing.T) {
			asked.Store(0)
			conf := process(t, map[string]string{"LONGSHIFT_AGENTS": agent, "OPENAI_BASE_URL": own.URL, "LONGSHIFT_OPENCODE": binary, "LONGSHIFT_CODEX": binary})
			var got []string
			for _, f := range m.checkAgents(t.Context(), conf) {
				if got = append(got, f.Check); f.State != signals.HostOK {
					t.Errorf("%+v", f)
				}
				if f.Check == OfOpenAI && f.Detail != "none, and "+strings.TrimPrefix(own.URL, "http://")+" asks for none" {
					t.Errorf("%s: %s", f.Check, f.Detail)
				}
			}
			if !slices.Equal(got, checks) || asked.Load() != 1 {
				t.Errorf("looked at %v, and asked %d times", got, asked.Load())
			}
			for _, a := range m.Agents(t.Context(), conf) {
				if a.Agent == agent && (a.State != signals.HostOK || !slices.Equal(a.Accounts, []string{task.APIOpenAI}) || len(a.Keys) > 0) {
					t.Errorf("%+v", a)
				}
			}
		})
	}
}

func nobody(context.Context) (gateway.Credential, error) {
	return gateway.Credential{Kind: gateway.Bearer, Value: "none"}, nil
}
