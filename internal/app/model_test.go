package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
)

// A private gateway that is set as for Claude Code gets the model's calls with the token that belongs to it.
func TestPrivateGateway(t *testing.T) {
	t.Parallel()
	var got *http.Request
	private := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		http.Error(w, "enough", http.StatusBadRequest)
	}))
	defer private.Close()
	cfg := load(t, "LONGSHIFT_DATA="+t.TempDir(), "ANTHROPIC_BASE_URL="+private.URL+"/anthropic/", "ANTHROPIC_AUTH_TOKEN=gw-token-1")
	h, end, err := newHostConfig(context.Background(), cfg, redact.New(), slog.New(slog.DiscardHandler))
	must(t, err)
	defer end()
	s, err := h.Gateway.Open(gateway.Spec{ID: "s1", Ledger: filepath.Join(t.TempDir(), "ledger")})
	must(t, err)
	defer s.Close()
	resp, err := http.Post(s.BaseURL()+"/v1/messages", "application/json", strings.NewReader(`{"model":"claude-opus-5-5","max_tokens":1,"messages":[]}`))
	must(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	must(t, err)
	resp.Body.Close()
	if got == nil || got.URL.Path != "/anthropic/v1/messages" || got.Header.Get("Authorization") != "Bearer gw-token-1" || got.Header.Get("X-Api-Key") != "" {
		t.Errorf("the gateway got %+v", got)
	}
	if host := strings.TrimPrefix(private.URL, "http://"); s.Upstream() != host || s.Kind(t.Context()) != gateway.Bearer {
		t.Errorf("the session leads to %q as %s", s.Upstream(), s.Kind(t.Context()))
	}
	if secrets := secretValues(cfg); len(secrets) != 1 || secrets[0] != "gw-token-1" {
		t.Errorf("hidden: %v", secrets)
	}
	states := map[string]signals.HostState{}
	for _, f := range h.Examine(t.Context()) {
		states[f.Check] = f.State
	}
	for check, want := range map[string]signals.HostState{"version": signals.HostOK, "git": signals.HostOK, "sandbox": signals.HostOK,
		"commit author": signals.HostOK, "model key": signals.HostOK} {
		if states[check] != want {
			t.Errorf("the host finds that %s is %q, want %q", check, states[check], want)
		}
	}
	if states["disk"] == "" || states["work in sandbox"] == "" {
		t.Errorf("the host has looked at %v only", states)
	}
	if name, err := tryModel(gateway.Anthropic)(t.Context(), cfg); name != s.Upstream() || err != nil {
		t.Errorf("tried %q: %v", name, err)
	}
}
