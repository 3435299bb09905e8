package lab

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// NewAppStage is NewScriptedStage with a worker that works as a GitHub App, which its repository's owner has installed.
func NewAppStage(t testing.TB, script agenttest.Script, settings string) *Stage {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	s := NewScriptedStage(t, script, settings, "LONGSHIFT_GITHUB_TOKEN=", "LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY="+text)
	owner, _, _ := strings.Cut(Name, "/")
	all := map[string]string{"contents": "write", "pull_requests": "write", "issues": "write", "checks": "write", "actions": "read", "statuses": "read"}
	s.GitHub.UseApp(forgetest.App{ID: 123, Slug: "longshift-app", Owner: owner, Key: &key.PublicKey, Permissions: all})
	s.GitHub.Install(forgetest.Installation{ID: 7, Account: owner, Permissions: all})
	return s
}
