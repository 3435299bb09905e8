package dev

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
)

// makeRepository makes a bare repository with one commit of the demo's files.
func (d *demonstration) makeRepository(ctx context.Context) error {
	seed := d.seed()
	d.repository = filepath.Join(d.dir, "demo.git")
	for name, content := range d.demo.Files {
		file := filepath.Join(seed, filepath.FromSlash(name))
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fault.New(fault.Internal, "demo file %q is not a local path", name)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write demo repository: %w", err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return fmt.Errorf("write demo repository: %w", err)
		}
	}
	author := []string{"-c", "user.name=Longshift demo", "-c", "user.email=demo@localhost",
		"-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		append(author, "commit", "--quiet", "--message=Start of the demo"),
		{"clone", "--quiet", "--bare", ".", d.repository},
	} {
		if _, err := d.git.Run(ctx, seed, args...); err != nil {
			return fault.New(fault.KindOf(err), "make demo repository: %w", err)
		}
	}
	return nil
}

// prepare makes the repository and starts server and worker on free ports.
func (d *demonstration) prepare(ctx context.Context) error {
	if err := d.makeRepository(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(d.scenario(), d.demo.Scenario, 0o600); err != nil {
		return fmt.Errorf("write scenario: %w", err)
	}
	var f serverFlags
	var err error
	if f.port, err = freePort(); err != nil {
		return err
	}
	for f.uiPort == 0 || f.uiPort == f.port { // a port that was free a moment ago may be given out again
		if f.uiPort, err = freePort(); err != nil {
			return err
		}
	}
	f.database = filepath.Join(d.dir, "temporal.db")
	d.web = fmt.Sprintf("http://localhost:%d", f.uiPort)
	f.namespace = client.DefaultNamespace
	d.stack.options = d.server.LocalOptions(f.port, f.namespace)
	d.printer.Say("starting a Temporal server and a worker...")
	if err := d.stack.startServer(ctx, f); err != nil {
		return err
	}
	d.server.Use(d.stack.client, d.stack.options, d.web)
	tmp := filepath.Join(d.dir, "tmp") // no other worker will come to remove what one that is killed has left there
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return fmt.Errorf("make the worker's temporary folder: %w", err)
	}
	d.stack.workerEnv = d.workerEnv(ctx, tmp)
	return d.stack.startWorker(ctx)
}

// workerEnv is the worker's environment. The settings of a real worker would have this one call models, listen, or answer in people's chats.
func (d *demonstration) workerEnv(ctx context.Context, tmp string) []string {
	env := append(d.env.Bare(), localProfile(d.stack.options)...)
	env = append(env, "XDG_CONFIG_HOME="+filepath.Join(d.dir, "config"))
	env = append(env, "TMPDIR="+tmp, "LONGSHIFT_DATA="+filepath.Join(d.dir, "data"), "LONGSHIFT_SCENARIO="+d.scenario(),
		"LONGSHIFT_WEB_URL="+d.web, "LONGSHIFT_HEARTBEAT=3s", "LONGSHIFT_PROBE=30s", "LONGSHIFT_LOG=warn")
	if caches := d.caches(ctx); caches != "" {
		env = append(env, "LONGSHIFT_CACHE="+caches)
	}
	return append(env, d.openly(ctx, env)...)
}

// seed is the folder with the demo's files as they are before any agent.
func (d *demonstration) seed() string { return filepath.Join(d.dir, "seed") }

// caches returns a folder with what Go compiles for the demo's checks, most of it the standard library. It stays, so that only the first
// demo on a machine waits for that; "" when there is none.
func (d *demonstration) caches(ctx context.Context) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(cache, "longshift", "demo")
	if _, err := os.Stat(dir); err != nil {
		d.printer.Say("compiling what Go needs for its checks, this once...")
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-run=^$", "./..."}} {
		cmd := exec.CommandContext(ctx, d.golang, args...)
		cmd.Dir, cmd.Env = d.seed(), append(d.env.Bare(), "GOCACHE="+filepath.Join(dir, "go-build"), "GOFLAGS=", "GOTMPDIR="+d.dir,
			"XDG_CONFIG_HOME=none") // a relative path keeps the command from writing its statistics to the person's home
		// It is interrupted with all that it has started: whatever went on would write to the folder while that is taken away.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
		cmd.WaitDelay = 5 * time.Second
		_ = cmd.Run() // what it says of the demo's code is for the demo to show
	}
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// scenario is the file that the scripted agent plays.
func (d *demonstration) scenario() string { return filepath.Join(d.dir, "scenario.yaml") }
