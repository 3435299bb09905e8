package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/child"
	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/dev"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// TestMain lets scripts run this test binary as longshift, and ends the server when all tests are done.
func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"longshift": longshiftMain})
}

type suite struct{ m *testing.M }

func (s suite) Run() int {
	code := s.m.Run()
	if testServer.stop != nil {
		testServer.stop()
	}
	return code
}

func longshiftMain() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(Main(ctx, os.Args[1:], term.SystemStreams(), environ.SystemEnviron(), testWiring()))
}

// testWiring fills the seams with what the real ones rest on.
func testWiring() Wiring {
	return Wiring{
		Version: "v1.2.3-test", Tested: map[string]string{"claude": "2.1.9", "codex": "0.1.9"}, ParseInput: task.ParseInput, Commands: audit.Read, Acts: audit.ReadActs,
		HoldsToken: func(text string) bool { return strings.Contains(text, "sk-very-secret") },
		Redact:     func(config.Config) func(string) string { return redact.New("sk-very-secret").String },
		Demo:       func() dev.Demo { return dev.Demo{Files: map[string]string{"main.go": "package main\n"}} },
		ParseConfig: func(b []byte) (*task.Config, error) {
			c, err := project.Parse(b)
			return &c, err
		},
		ResolveConfig: func(_ context.Context, process config.Config, dir, base string, own *task.Config) (setup.Resolved, error) {
			job := task.Config{}
			if own != nil {
				job = *own
			}
			r, err := project.Resolve(project.Limits{MaxCost: process.Limits.MaxCost, Agents: process.AllowedAgents()}, task.Config{}, job)
			var settings []setup.Setting
			for _, o := range r.Origins {
				settings = append(settings, setup.Setting(o))
			}
			return setup.Resolved{Settings: settings, Warnings: r.Warnings}, err
		},
		Programs: func(env environ.Environ) checkup.Programs { return env },
		Settings: func(process config.Config) error {
			if process.Commands.Policy != "" {
				return fault.New(fault.Input, "LONGSHIFT_POLICY %s: alow is no key here", process.Commands.Policy).
					WithHint("its keys are allow, ask and deny")
			}
			return nil
		},
		Sandbox: func(_ context.Context, process config.Config) ([]checkup.Layer, error) {
			if process.Sandbox.Bubblewrap != "bwrap" {
				return nil, fault.New(fault.Infra, "sandbox: layer namespaces does not hold: %s: not found",
					process.Sandbox.Bubblewrap).WithHint("install the package bubblewrap")
			}
			return []checkup.Layer{{Name: "namespaces", Stands: true, Detail: "bubblewrap 0.8.0"}, {Name: "limits", Stands: len(process.Sandbox.Without) == 0}}, nil
		},
		Work: func(context.Context, config.Config) ([]checkup.Tool, error) {
			return []checkup.Tool{{Name: "go", Works: true, Detail: "go1.26.8"}, {Name: "cargo", Detail: "rustup could not choose a version"}}, nil
		},
		Signing: func(_ context.Context, process config.Config) error {
			if process.Author.SigningKey != "/keys/good" {
				return fault.New(fault.Denied, "sign commits with LONGSHIFT_SIGNING_KEY=%s: no such file", process.Author.SigningKey).WithHint("see that it is there")
			}
			return nil
		},
		Model: func(ctx context.Context, process config.Config) (string, error) {
			return gateway.Try(ctx, gateway.Config{Endpoint: gateway.Endpoint{Upstream: process.Model.URL, Credential: func(context.Context) (gateway.Credential, error) {
				secret, kind := process.Model.Secret()
				value, err := secret.Read()
				return gateway.Credential{Kind: map[config.ModelKind]gateway.Kind{config.ModelKey: gateway.APIKey, config.ModelBearer: gateway.Bearer}[kind],
					Value: value}, err
			}}}, gateway.Anthropic)
		},
		Issue: func(_ context.Context, _ config.Config, repository string, number int) (task.Issue, error) {
			if number != 42 {
				return task.Issue{}, fault.New(fault.Input, "issue #%d of %s can't be read: there is no token for GitHub", number, repository).WithHint("set GH_TOKEN")
			}
			return task.Issue{Forge: "github", Number: number, Title: "Add a flag"}, nil
		},
		Standing: func(ctx context.Context, process config.Config, repository, base, ours string) (Standing, error) {
			hub, r, err := hubOf(process, repository)
			if err != nil {
				return Standing{}, err
			}
			s, err := hub.RepositoryState(ctx, r, base, ours)
			return Standing(s), err
		},
		Account: func(ctx context.Context, process config.Config) (string, error) {
			hub, _, err := hubOf(process, "acme/web")
			if err != nil {
				return "", err
			}
			return hub.Account(ctx)
		},
		ForkOf: func(ctx context.Context, process config.Config, repository string) (string, string, error) {
			hub, r, err := hubOf(process, repository)
			if err != nil {
				return "", "", err
			}
			return hub.ForkOf(ctx, r)
		},
		Policy: func(process config.Config, sandboxed bool) (policy.Config, error) {
			return policy.Config{Profiles: process.Commands.Profiles, Destructive: process.Commands.Destructive, WriteOff: process.Commands.WriteOff,
				Registry: sandboxed, PrivateTmp: sandboxed,
				Loopback: sandboxed, Namespace: sandboxed}, nil
		},
	}
}

// testServer is one server for all tests of this process.
var testServer struct {
	once    sync.Once
	address string
	err     error
	stop    func()
	data    string // of the worker of the default namespace
}

const (
	namespaceIdle = "idle" // has our search attributes and no worker
	namespaceBare = "bare" // has no search attributes
)

// builtServer gives the Temporal server. A test is skipped where it has not been built, and with -short; where CI is set, it fails.
func builtServer(t testing.TB) string {
	t.Helper()
	return built(t, "LONGSHIFT_DEVSERVER", "longshift-devserver")
}

// built gives a program that a variable names, or that stands in bin.
func built(t testing.TB, variable, name string) string {
	t.Helper()
	ci := os.Getenv("CI") == "true"
	if testing.Short() && !ci {
		t.Skip("-short leaves out " + name)
	}
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path, err := filepath.Abs("../../bin/" + name)
	if err == nil && environ.Executable(path) {
		return path
	}
	why := fmt.Sprintf("no %s: set %s or run `make build`", name, variable)
	if ci {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// useServer gives the address of a real server, with a worker for the default namespace, and the worker's data folder.
func useServer(t testing.TB) (address, data string) {
	t.Helper()
	program := builtServer(t)
	testServer.once.Do(func() { testServer.err = startTestServer(program) })
	if testServer.err != nil {
		t.Fatal(testServer.err)
	}
	return testServer.address, testServer.data
}

func startTestServer(program string) error {
	port, err := clitest.UnusedPort()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "longshift-cli-test-")
	if err != nil {
		return err
	}
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", fmt.Sprint(port), "--headless", "--log-level", "warn",
		"--namespace", client.DefaultNamespace, "--namespace", namespaceIdle}
	for _, a := range signals.Attributes() {
		args = append(args, "--search-attribute", a.Name+"="+a.Type)
	}
	process, err := child.Start("server", "/", program, args, os.Environ(), func(string) {})
	if err != nil {
		return err
	}
	o := client.Options{HostPort: fmt.Sprintf("127.0.0.1:%d", port), Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))}
	c, err := server.Dial(context.Background(), o)
	for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); {
		<-time.After(100 * time.Millisecond)
		c, err = server.Dial(context.Background(), o)
	}
	if err != nil {
		process.Stop(time.Second)
		return errors.Join(err, os.RemoveAll(dir))
	}
	start, stop := newStandInWorker(c, dir)
	testServer.address, testServer.data = o.HostPort, dir
	testServer.stop = func() {
		stop()
		c.Close()
		process.Stop(20 * time.Second)
		os.RemoveAll(dir)
	}
	_, err = c.WorkflowService().RegisterNamespace(context.Background(), &workflowservice.RegisterNamespaceRequest{
		Namespace: namespaceBare, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)})
	return errors.Join(err, start())
}

// console is a run of the command line in this process.
type console struct{ *clitest.Terminal }

func newConsole(t *testing.T, vars ...string) *console {
	return &console{clitest.NewTerminal(t, vars...)}
}

func (c *console) factory() *factory { return newFactory(c.Streams(), c.Environ(), testWiring()) }

// choices keeps the chosen workspace of this console's user.
func (c *console) choices() repository.Choices { return repository.NewChoices(c.factory().env) }

func (c *console) run(args ...string) int {
	c.T.Helper()
	return c.runContext(c.T.Context(), args...)
}

func (c *console) runContext(ctx context.Context, args ...string) int {
	f := c.factory()
	defer f.close()
	return f.main(ctx, args)
}

// modelEndpoint is an endpoint of a model that takes one key, as x-api-key or as bearer, below a path of its own.
func modelEndpoint(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodGet || r.URL.Path != "/anthropic/v1/models":
			http.Error(w, "nothing here", http.StatusNotFound)
		case r.Header.Get("X-Api-Key") != "sk-very-secret" && r.Header.Get("Authorization") != "Bearer sk-very-secret":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"type":"error","error":{"type":"authentication_error","message":"invalid key"}}`)
		default:
			fmt.Fprint(w, `{"data":[]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/anthropic"
}

func TestScripts(t *testing.T) {
	model := modelEndpoint(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			port, err := clitest.UnusedPort() // nobody listens there
			e.Setenv("TEMPORAL_ADDRESS", fmt.Sprintf("127.0.0.1:%d", port))
			e.Setenv("PORT", fmt.Sprint(port))
			e.Setenv("ANTHROPIC_BASE_URL", model)
			e.Setenv("USER", "ann")
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return err
		},
	})
}

// waitFor is the script command "waitfor task phase".
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor task phase")
	}
	c, err := client.Dial(client.Options{HostPort: ts.Getenv("TEMPORAL_ADDRESS"), Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	ts.Check(err)
	defer c.Close()
	w := tasks.NewPoller(c, args[0], "", environ.Clock{Now: time.Now, After: func(time.Duration) <-chan time.Time { return time.After(50 * time.Millisecond) }})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for s := range w.Watch(ctx) {
		if s.Status != nil && s.Status.Phase == task.Phase(args[1]) {
			return
		}
	}
	ts.Fatalf("task %s did not come to %s", args[0], args[1])
}

func TestServerScripts(t *testing.T) {
	address, data := useServer(t)
	model := modelEndpoint(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/server",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"waitfor": waitFor},
		Setup: func(e *testscript.Env) error {
			e.Setenv("TEMPORAL_ADDRESS", address)
			e.Setenv("LONGSHIFT_DATA", data)
			e.Setenv("ANTHROPIC_BASE_URL", model)
			e.Setenv("LONGSHIFT_WEB_URL", "http://localhost:8233")
			e.Setenv("USER", "ann")
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return nil
		},
	})
}

// hubOf is GitHub as a process is configured for it, and a repository there.
func hubOf(process config.Config, repository string) (*github.Forge, task.Repository, error) {
	hub, err := github.New(github.Config{BaseURL: process.GitHub.URL, Token: func(context.Context) (string, error) { return process.GitHub.Token.Read() }})
	if err != nil {
		return nil, task.Repository{}, err
	}
	r, err := task.ParseRepository(repository)
	return hub, r, err
}
