package dev

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
)

// serverBinary finds the server: LONGSHIFT_DEVSERVER, beside this program, or on PATH, ours or the official one.
func serverBinary(env environ.Environ) (string, error) {
	return binary(env, "LONGSHIFT_DEVSERVER", "a Temporal server", "longshift-devserver", "temporal")
}

// workerBinary finds the worker: LONGSHIFT_WORKER, beside this program, or on PATH.
func workerBinary(env environ.Environ) (string, error) {
	return binary(env, "LONGSHIFT_WORKER", "the worker", "longshift-worker")
}

func binary(env environ.Environ, variable, what string, names ...string) (string, error) {
	if path := env.Get(variable); path != "" {
		if !filepath.IsAbs(path) {
			if found, err := env.Program(path); err == nil {
				return found, nil
			}
			path = env.Resolve(path)
		}
		if !environ.Executable(path) {
			return "", fault.New(fault.NotFound, "%s=%q: no program there", variable, path).WithHint("give the path of %s", what)
		}
		return path, nil
	}
	for _, name := range names {
		if beside := filepath.Join(filepath.Dir(env.Executable), name); env.Executable != "" && environ.Executable(beside) {
			return beside, nil
		}
		if found, err := env.Program(name); err == nil {
			return found, nil
		}
	}
	return "", fault.New(fault.NotFound, "%s is not beside this program and not on PATH", names[0]).
		WithHint("install it, or set %s to its path", variable)
}

// freePort finds a port of this machine that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// portFree tells whether a port can be listened on.
func portFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
