package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/process/guard"
)

// start starts the server and a worker.
func (b *bench) start(env ...string) error {
	if err := b.server(); err != nil {
		return err
	}
	pid, err := b.program("longshift-worker", append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TEMPORAL_ADDRESS=" + b.address, "LONGSHIFT_DATA=" + filepath.Join(b.dir, "data"),
		"LONGSHIFT_CLAUDE=" + b.claude, "LONGSHIFT_ANTHROPIC_URL=" + b.model.URL, "LONGSHIFT_ANTHROPIC_KEY=bench-key-0000",
	}, env...))
	b.worker = pid
	return err
}

// server starts the server and connects to it.
func (b *bench) server() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	b.address = fmt.Sprintf("127.0.0.1:%d", port)
	if _, err := b.program("longshift-devserver", os.Environ(), "server", "start-dev", "--ip", "127.0.0.1", "--port", fmt.Sprint(port),
		"--headless", "--db-filename", filepath.Join(b.dir, "temporal.db")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if b.temporal, err = client.DialContext(ctx, client.Options{HostPort: b.address, Logger: quiet()}); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		b.ends.add(b.temporal.Close)
	}
	return err
}

// program starts one of ours, which ends with this process at the latest, and gives its process.
func (b *bench) program(name string, env []string, args ...string) (pid int, err error) {
	log, err := os.Create(filepath.Join(b.dir, name+".log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd, ended := exec.Command(filepath.Join(b.root, "bin", name), args...), make(chan struct{})
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = env, log, log, guard.ChildAttr()
	if err := process.StartBound(cmd, func(error) { close(ended) }); err != nil {
		return 0, err
	}
	b.ends.add(func() { _ = cmd.Process.Kill(); <-ended })
	return cmd.Process.Pid, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
