package gateway

import (
	"context"
	"errors"
	"testing"
)

// TestKind checks that Kind follows the credential source, which can change while the process runs.
func TestKind(t *testing.T) {
	now, err := Credential{Kind: APIKey, Value: testKey}, error(nil)
	g := startGateway(t, "http://127.0.0.1:1", func(c *Config, _ *Gateway) {
		c.Credential = func(context.Context) (Credential, error) { return now, err }
	})
	s := openSession(t, g, 0)
	if k := s.Kind(t.Context()); k != APIKey {
		t.Errorf("kind %q", k)
	}
	now = Credential{Kind: OAuth, Value: testKey}
	if k := s.Kind(t.Context()); k != OAuth {
		t.Errorf("kind %q after the change", k)
	}
	now, err = Credential{}, errors.New("no such file")
	if k := s.Kind(t.Context()); k != APIKey {
		t.Errorf("kind %q without a credential", k)
	}
}
