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
)

// start starts the server and a worker, and gives what ends them.
func (b *bench) start(env ...string) (stop func(), err error) {
	server, err := b.server()
	if err != nil {
		return nil, err
	}
	pid, worker, err := b.program("longshift-worker", append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TEMPORAL_ADDRESS=" + b.address, "LONGSHIFT_DATA=" + filepath.Join(b.dir, "data"),
		"LONGSHIFT_CLAUDE=" + b.claude, "LONGSHIFT_ANTHROPIC_URL=" + b.model.URL, "LONGSHIFT_ANTHROPIC_KEY=bench-key-0000",
	}, env...))
	if err != nil {
		server()
		return nil, err
	}
	b.worker = pid
	return func() { worker(); server() }, nil
}

// server starts the server and connects to it, and gives what ends both.
func (b *bench) server() (stop func(), err error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	b.address = fmt.Sprintf("127.0.0.1:%d", port)
	_, server, err := b.program("longshift-devserver", os.Environ(), "server", "start-dev", "--ip", "127.0.0.1", "--port", fmt.Sprint(port),
		"--headless", "--db-filename", filepath.Join(b.dir, "temporal.db"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if b.temporal, err = client.DialContext(ctx, client.Options{HostPort: b.address, Logger: quiet()}); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		server()
		return nil, err
	}
	return func() { b.temporal.Close(); server() }, nil
}

// program starts one of ours and gives its process and what ends it.
func (b *bench) program(name string, env []string, args ...string) (pid int, stop func(), err error) {
	log, err := os.Create(filepath.Join(b.dir, name+".log"))
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.Command(filepath.Join(b.root, "bin", name), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		log.Close()
	}, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
