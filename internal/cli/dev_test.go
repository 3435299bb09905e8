package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// devConsole is a console for `longshift dev` with the server and the worker as built, and a data folder of its own.
func devConsole(t *testing.T) (c *console, port int) {
	port, err := clitest.UnusedPort()
	if err != nil {
		t.Fatal(err)
	}
	return newConsole(t, "LONGSHIFT_DEVSERVER="+builtServer(t), "LONGSHIFT_WORKER="+built(t, "LONGSHIFT_WORKER", "longshift-worker"),
		"LONGSHIFT_DATA="+t.TempDir()), port
}

func (c *console) data() string {
	return environ.Environ{Vars: c.Vars}.Get("LONGSHIFT_DATA")
}

// workerPid reads the number of the worker that runs now, other than one before.
func (c *console) workerPid(before int) int {
	c.T.Helper()
	pid := 0
	clitest.Eventually(c.T, "the worker's number", func() bool {
		text, err := os.ReadFile(filepath.Join(c.data(), "worker.lock"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && pid > 0 && pid != before
	})
	return pid
}

func TestDev(t *testing.T) {
	t.Parallel()
	c, port := devConsole(t)
	c.Vars = append(c.Vars, "TEMPORAL_ADDRESS=web.tmprl.cloud:7233", "TEMPORAL_API_KEY=key") // of another server than this one
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int, 1)
	go func() { code <- c.runContext(ctx, "dev", "--port", fmt.Sprint(port), "--headless") }()
	clitest.Eventually(t, "all is up", func() bool { return strings.Contains(c.Out.String(), "Longshift is up") || len(code) > 0 })
	clitest.Wants(t, c.Out.String(), "Longshift is up. Ctrl-C ends it.\n", fmt.Sprintf("  Temporal  localhost:%d\n", port),
		"  Data      "+c.data()+"\n", "warn  model key     none is set; run `longshift login anthropic`, or set ANTHROPIC_API_KEY or LONGSHIFT_CLAUDE_TOKEN\n",
		"warn  github token  none is set; run `longshift login github`",
		fmt.Sprintf("TEMPORAL_ADDRESS=localhost:%d TEMPORAL_TLS=false TEMPORAL_API_KEY= longshift run", port))

	first := c.workerPid(0)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	clitest.Eventually(t, "the crash is told", func() bool {
		return strings.Contains(c.Errs.String(), "the worker has ended (signal: killed); starting it again in 1s; no task is lost\n")
	})
	second := c.workerPid(first)

	bin := t.TempDir()
	gh := "#!/bin/sh\necho \"$*\" >>" + bin + "/asked\necho gho_0123456789\n"
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o700); err != nil {
		t.Fatal(err)
	}
	other := newConsole(t, append(c.Vars, "LONGSHIFT_DATA="+t.TempDir(), "PATH="+bin+":"+os.Getenv("PATH"),
		"ANTHROPIC_BASE_URL="+modelEndpoint(t), "ANTHROPIC_API_KEY=sk-wrong")...)
	otherCtx, stopOther := context.WithCancel(t.Context())
	otherCode := make(chan int, 1)
	go func() { otherCode <- other.runContext(otherCtx, "dev", "--port", fmt.Sprint(port)) }()
	clitest.Eventually(t, "the other one is up", func() bool { return strings.Contains(other.Out.String(), "Longshift is up") })
	clitest.Wants(t, other.Errs.String(), fmt.Sprintf("using the Temporal server that answers at localhost:%d\n", port))
	clitest.Wants(t, other.Out.String(), "fail  model key", " refuses the key: 401 invalid key; give the key that belongs to this endpoint\n")
	clitest.Wants(t, other.Out.String(), "  Github token  from gh auth token, for the worker of `longshift dev`\n")
	if strings.Contains(other.Out.String(), "Temporal Web") {
		t.Errorf("the server is headless, and what is told of it: %s", other.Out.String())
	}
	if asked, err := os.ReadFile(filepath.Join(bin, "asked")); err != nil || string(asked) != "auth token --hostname github.com\n" {
		t.Errorf("gh was asked %q, %v", asked, err)
	}
	hostsAnswer(t, fmt.Sprintf("127.0.0.1:%d", port), signals.HostIdentity(environ.OwnHost(c.data()), second), c.data(), other.data())
	stopOther()
	if got := <-otherCode; got != fault.ExitOK {
		t.Errorf("the other one: exit code %d\n%s", got, other.Errs.String())
	}
	if portIsFree(port) {
		t.Error("a server that was there already was ended")
	}

	cancel()
	if got := <-code; got != fault.ExitOK {
		t.Errorf("exit code %d\n%s", got, c.Errs.String())
	}
	if !clitest.Gone(second) || !portIsFree(port) {
		t.Errorf("worker gone: %v, port free: %v", clitest.Gone(second), portIsFree(port))
	}
}

// hostsAnswer has doctor ask the workers of these data folders, from a machine that runs none, as soon as they poll. last is a poller
// that has to be among them.
func hostsAnswer(t *testing.T, address, last string, folders ...string) {
	t.Helper()
	cl, err := server.Dial(t.Context(), client.Options{HostPort: address})
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	clitest.Eventually(t, "all hosts poll", func() bool {
		d, err := cl.DescribeTaskQueue(t.Context(), signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return false
		}
		var who []string
		for _, p := range d.GetPollers() {
			host, _ := signals.HostOfIdentity(p.GetIdentity())
			who = append(who, p.GetIdentity(), host)
		}
		return slices.Contains(who, last) && !slices.ContainsFunc(folders, func(data string) bool {
			return !slices.Contains(who, environ.OwnHost(data))
		})
	})
	c := newConsole(t, "TEMPORAL_ADDRESS="+address, "LONGSHIFT_DATA="+t.TempDir())
	c.run("doctor", "-o", "jsonl")
	for _, data := range folders {
		host := environ.OwnHost(data)
		for _, check := range []string{"version", "sandbox", "work in sandbox"} {
			clitest.Wants(t, c.Out.String(), fmt.Sprintf(`{"host":%q,"check":%q,"state":`, host, check))
		}
		clitest.Wants(t, c.Out.String(), fmt.Sprintf(`{"host":%q,"check":"data folder","state":"ok","detail":"$LONGSHIFT_DATA"}`, host))
	}
}

// When dev itself is killed, nothing of it stays.
func TestDevKilled(t *testing.T) {
	t.Parallel()
	c, port := devConsole(t)
	program, err := exec.LookPath("longshift")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "dev", "--headless", "--port", fmt.Sprint(port))
	cmd.Env, cmd.Stdout, cmd.Stderr = c.Vars, &c.Out, &c.Errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	worker := c.workerPid(0)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	clitest.Eventually(t, "worker and server end", func() bool { return clitest.Gone(worker) && portIsFree(port) })
}

func TestDevRefusals(t *testing.T) {
	t.Parallel()
	c, port := devConsole(t)
	taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	go func() { // a program that is no Temporal server
		for {
			conn, err := taken.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	defer taken.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	secure.StartTLS()
	defer secure.Close()
	free, err := clitest.UnusedPort()
	if err != nil {
		t.Fatal(err)
	}
	spoilt := t.TempDir()
	if err := os.WriteFile(filepath.Join(spoilt, "temporal.db"), []byte("not a database\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		name string
		vars []string
		args []string
		code int
		want string
	}{
		{"port taken", nil, []string{"--port", fmt.Sprint(port)}, fault.ExitUsage, fmt.Sprintf("longshift: port %d is in use by another program; stop it, or give another --port\n", port)},
		{"server that refuses", []string{"TEMPORAL_ADDRESS=" + secure.Listener.Addr().String()}, nil, fault.ExitUsage,
			"wants TLS, and this client has none set up; set TEMPORAL_TLS=true, or the other TEMPORAL_TLS settings\n"},
		{"web port taken", nil, []string{"--port", fmt.Sprint(free), "--ui-port", fmt.Sprint(port)}, fault.ExitUsage, fmt.Sprintf("longshift: port %d for Temporal Web is in use by another program or no port; give another --ui-port, or --headless\n", port)},
		{"no port", nil, []string{"--port", "70000"}, fault.ExitUsage, "longshift: --port 70000: not a port; give a number from 1 to 65535\n"},
		{"no server", []string{"LONGSHIFT_DEVSERVER=/nowhere/server"}, []string{"--port", fmt.Sprint(free), "--headless"}, fault.ExitNotFound, "longshift: LONGSHIFT_DEVSERVER=\"/nowhere/server\": no program there; give the path of a Temporal server\n"},
		{"server that ends", []string{"LONGSHIFT_DEVSERVER=/bin/false"}, []string{"--port", fmt.Sprint(free), "--headless"}, fault.ExitServer, "longshift: the Temporal server did not start: exit status 1\n"},
		{"worker that ends", []string{"LONGSHIFT_WORKER=" + clitest.Script(t, "echo no room for $PWD >&2; exit 3")}, []string{"--port", fmt.Sprint(free), "--headless", "--ephemeral"}, fault.ExitServer,
			"longshift: the worker did not start: exit status 3: no room for DIR\n"},
		{"worker that says why", []string{"LONGSHIFT_WORKER=" + clitest.Script(t, "echo working >&2; echo 'script: no room' >&2; echo '  at all; make some' >&2; exit 4")}, []string{"--port", fmt.Sprint(free), "--headless", "--ephemeral"}, fault.ExitServer,
			"worker | working\nlongshift: the worker did not start: no room\n  at all; make some\n"},
		{"database", []string{"LONGSHIFT_DATA=" + spoilt}, []string{"--port", fmt.Sprint(free), "--headless"}, fault.ExitServer,
			"longshift: the Temporal server did not start: database " + spoilt + "/temporal.db is not a SQLite database, " +
				"or its first page is damaged: restore a copy or use another file; to keep the server's state in another folder, set LONGSHIFT_DATA\n"},
		{"data folder", []string{"LONGSHIFT_DATA=/dev/null/data"}, nil, fault.ExitFailed, "longshift: make data folder: mkdir /dev/null: not a directory; set LONGSHIFT_DATA to a folder that you can write to\n"},
	} {
		t.Run(d.name, func(t *testing.T) {
			one := newConsole(t, append(c.Vars, d.vars...)...)
			code, want := one.run(append([]string{"dev"}, d.args...)...), strings.ReplaceAll(d.want, "DIR", one.Dir)
			if code != d.code || !strings.HasSuffix(one.Errs.String(), want) {
				t.Errorf("exit code %d\n got %s\nwant %s", code, one.Errs.String(), want)
			}
			if !portIsFree(free) {
				t.Error("something was left running")
			}
		})
	}
}

func portIsFree(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
