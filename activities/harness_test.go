package activities

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// secret is a value that the host's Redactor knows.
const secret = "ghp_0123456789abcdefghijklmnop"

// bench is a host with a data directory, a remote and, once prepare was called, a workspace for one task.
type bench struct {
	HostConfig // changes take effect with start
	*Assigner
	*Sessions
	*Commands
	*Preparer
	*Git
	*Cleaner
	host       *Host
	prestarter *prestarter
	systems    *systemTexts
	launcher   *launcher
	boxes      *boxes
	running    *runningSessions
	slots      *slots

	t      testing.TB
	remote string
	key    string // that signs commits
	ref    Ref
	made   Prepared
	worker *Interceptor
}

// newBench makes a host without a gateway. Task and session ids are random, because processes are found by them.
func newBench(t testing.TB, agents map[string]agent.Agent) *bench {
	t.Helper()
	b := &bench{t: t, ref: Ref{TaskID: "task-" + strings.ToLower(rand.Text()), Fence: 1}}
	b.remote = gittest.NewBare(t, map[string]string{"calc.go": "package calc\n", "README.md": "Calc\n"})
	b.startOn(t.TempDir(), agents)
	b.worker = &Interceptor{Redact: b.Redact, client: clientOf}
	return b
}

// startOn starts a host on a data directory, as a restarted worker or another machine would.
func (b *bench) startOn(data string, agents map[string]agent.Agent) {
	b.t.Helper()
	b.HostConfig = b.newConfig(data, agents)
	b.start()
}

// start starts the host with its configuration as it is now.
func (b *bench) start() {
	h := NewHost(b.HostConfig)
	b.host, b.Assigner, b.Sessions, b.Commands, b.Preparer, b.Git, b.Cleaner = h, h.Assigner, h.Sessions, h.Commands, h.Preparer, h.Git, h.Cleaner
	b.prestarter, b.systems, b.launcher, b.boxes = h.Sessions.prestarter, h.Cleaner.systems, h.Sessions.launcher, h.Sessions.launcher.boxes
	b.running, b.slots = h.Sessions.running, h.Sessions.slots
}

// newConfig configures a host on a data directory.
func (b *bench) newConfig(data string, agents map[string]agent.Agent) HostConfig {
	b.t.Helper()
	spaces, err := workspace.New(workspace.Config{
		Dir: data, Author: workspace.Person{Name: "Longshift", Email: "bot@example.com"}, SigningKey: b.key,
		RemoteURL: func(task.Repository) (string, error) { return b.remote, nil },
	})
	must(b.t, err)
	return HostConfig{
		ID: "host-1", Data: data, Workspaces: spaces, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		AgentConfig: AgentConfig{Agents: agents},
		Environment: Environment{
			CommandEnv: func(Dirs) []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + data} },
			AgentEnv:   func(Dirs) map[string]string { return nil },
		},
		Confine: Confinement{Box: openBox{}}, Handover: Handover{Every: time.Hour},
		Caches: toolcache.New(toolcache.Config{Dir: filepath.Join(data, "caches"), Tasks: filepath.Join(data, "tasks"), Share: true,
			Log: slog.New(slog.DiscardHandler)}),
		Redact: redact.New(secret).WithPath(data, "$LONGSHIFT_DATA"),
	}
}

// openBox confines nothing: the tests of the sandbox package and the integration tests cover real boxes.
type openBox struct{}

func (openBox) Start(ctx context.Context, s process.Spec, _ sandbox.Spec) (*process.Process, error) {
	return process.Start(ctx, s)
}

func (openBox) Run(ctx context.Context, s process.Spec, l process.Limits, _ sandbox.Spec) (process.Result, error) {
	return process.Run(ctx, s, l)
}

// prepare makes the workspace.
func (b *bench) prepare() {
	b.t.Helper()
	out, err := b.PrepareWorkspace(b.t.Context(), PrepareInput{
		Ref: b.ref, Repository: task.Repository{Text: b.remote, Path: b.remote}, Title: "Fix the sum",
	})
	must(b.t, err)
	b.made = out
}

// work returns the work tree's folder.
func (b *bench) work() string {
	b.t.Helper()
	tree, err := b.Workspaces.Open(b.t.Context(), b.ref.TaskID, b.ref.Fence)
	must(b.t, err)
	defer tree.Close()
	return tree.Dir()
}

// session makes the input of the first session in a role.
func (b *bench) session(role task.Role, agentName string) SessionInput {
	in := SessionInput{Ref: b.ref, N: 1, Ask: 1, ID: uuid.NewString(), Role: role, Agent: agentName, Model: "sonnet", Wall: time.Hour}
	in.Prompt.Task = "Fix the sum"
	in.Prompt.BaseCommit = b.made.BaseCommit
	if role == task.Implementer {
		in.Prompt.Deliverable = &task.Deliverable{ID: "FIX-001", Description: "The sum is right"}
	}
	return in
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantFault fails unless the error has the kind, and its text or hint contains all words.
func wantFault(t testing.TB, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("got kind %q, want %q: %v", fault.KindOf(err), kind, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+"\n"+fault.HintOf(err), w) {
			t.Errorf("error does not say %q: %v (%s)", w, err, fault.HintOf(err))
		}
	}
}

// eventually waits until another goroutine or process makes a condition true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(15 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}

// await waits for a channel, and fails the test when nothing comes.
func await[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case v = <-c:
	case <-ctx.Done():
		t.Fatalf("never came: %s", what)
	}
	return v
}
