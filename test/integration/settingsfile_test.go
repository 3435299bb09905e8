package integration

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/test/lab"
)

// refusing is a proxy that notes where it is asked to connect to, and refuses.
type refusing struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newRefusing(t *testing.T) *refusing {
	p := &refusing{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(p.Close)
	return p
}

// hosts are those that it was asked for, each once and sorted.
func (p *refusing) hosts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(p.asked)))
}

// settingsOfOthers makes a home whose settings file sets what other programs and libraries read, with a proxy and with the certificate of a
// model's endpoint on this machine. It returns the environment of its user.
func settingsOfOthers(t *testing.T, proxy string) []string {
	t.Helper()
	model := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[]}`)
	}))
	t.Cleanup(model.Close)
	home := t.TempDir()
	certificate, dir := filepath.Join(home, "ca.pem"), filepath.Join(home, ".config", "longshift")
	text := fmt.Sprintf(`HTTPS_PROXY = %q
SSL_CERT_FILE = %q
AWS_ACCESS_KEY_ID = "id"
AWS_SECRET_ACCESS_KEY = "key"
AWS_REGION = "eu-west-1"
LONGSHIFT_OBJECT_STORE = "s3://bucket"
LONGSHIFT_GITHUB_TOKEN = "token"
ANTHROPIC_API_KEY = "key"
ANTHROPIC_BASE_URL = %q
TEMPORAL_ADDRESS = "temporal.example:7233"
`, proxy, certificate, model.URL)
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: model.Certificate().Raw})
	for _, err := range []error{os.MkdirAll(dir, 0o700), os.WriteFile(certificate, block, 0o600),
		os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=ann", "AWS_EC2_METADATA_DISABLED=true"}
}

// The settings file sets the proxy, the certificates and the login to S3 for the command line.
func TestCommandUsesSettingsOfOthers(t *testing.T) {
	t.Parallel()
	proxy := newRefusing(t)
	cmd := exec.CommandContext(t.Context(), lab.Program(t, "longshift"), "doctor")
	cmd.Dir, cmd.Env = t.TempDir(), settingsOfOthers(t, proxy.URL)
	out, _ := cmd.CombinedOutput() // it fails: the proxy lets nothing through
	if !slices.ContainsFunc(strings.Split(string(out), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "ok") && strings.Contains(line, "model key")
	}) {
		t.Errorf("the certificate of the endpoint is not trusted:\n%s", out)
	}
	want := []string{"api.github.com:443", "bucket.s3.eu-west-1.amazonaws.com:443", "temporal.example:7233"}
	if got := proxy.hosts(); !slices.Equal(got, want) {
		t.Errorf("the proxy was asked for %q, want %q:\n%s", got, want, out)
	}
}

// It sets the proxy for the worker too.
func TestWorkerUsesSettingsOfOthers(t *testing.T) {
	t.Parallel()
	proxy := newRefusing(t)
	cmd := exec.CommandContext(t.Context(), lab.Program(t, "longshift-worker"))
	cmd.Env = settingsOfOthers(t, proxy.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // fails only when it has ended
		_ = cmd.Wait()
	}()
	lab.Eventually(t, 30*time.Second, "the worker asks the proxy for the Temporal server", func() bool {
		return slices.Contains(proxy.hosts(), "temporal.example:7233")
	})
}
