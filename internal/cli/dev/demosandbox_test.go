package dev

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
)

// The sandbox is tried as the demo's worker will have it, and not as a person's own settings have weakened it.
func TestDemoTriesTheSandboxOfItsWorker(t *testing.T) {
	const open = "LONGSHIFT_SANDBOX_WITHOUT=namespaces,network,landlock,seccomp,limits"
	for _, c := range []struct {
		name   string
		works  func(config.Sandbox) bool
		openly bool
	}{
		{"weakened", func(s config.Sandbox) bool { return len(s.Without) > 0 }, true},
		{"bubblewrap elsewhere", func(s config.Sandbox) bool { return s.Bubblewrap == "/opt/bwrap" }, true},
		{"complete", func(s config.Sandbox) bool { return len(s.Without) == 0 && s.Bubblewrap == "bwrap" }, false},
	} {
		var said bytes.Buffer
		env := environ.Environ{Vars: []string{"HOME=" + t.TempDir(), "PATH=/nowhere", "LONGSHIFT_SANDBOX_WITHOUT=namespaces,network",
			"LONGSHIFT_BUBBLEWRAP=/opt/bwrap"}}
		d := &demonstration{env: env, printer: term.NewPrinter(term.Streams{Err: &said}), stack: &stack{}, dir: t.TempDir(),
			sandbox: func(_ context.Context, conf config.Config) ([]checkup.Layer, error) {
				if !c.works(conf.Sandbox) {
					return nil, errors.New("layer namespaces does not hold")
				}
				return nil, nil
			}}
		d.stack.options.HostPort, d.web = "localhost:7300", "http://localhost:8300"
		got := d.workerEnv(t.Context(), t.TempDir())
		if slices.Contains(got, open) != c.openly || strings.Contains(said.String(), "runs its own commands without one") != c.openly {
			t.Errorf("%s: the worker gets %q, and it says %q", c.name, got, said.String())
		}
	}
}
