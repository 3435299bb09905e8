package app

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/github"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestForgeOfARepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, repository, want string }{
		{"", "ann/calc", "github"}, {"", "https://github.com/ann/calc", "github"}, {"", "git@github.com:ann/calc.git", "github"},
		{"", "/srv/git/calc.git", "local"}, {"", "https://gitlab.com/ann/calc", ""},
		{"https://ghe.example.com", "ann/calc", "github"}, {"https://ghe.example.com", "ssh://git@ghe.example.com/ann/calc", "github"},
		{"https://ghe.example.com", "https://github.com/ann/calc", ""}, {"", "https://GitHub.com/ann/calc", "github"},
		{"", "ssh://git@ssh.github.com:443/ann/calc.git", "github"}, {"", "git@ssh.github.com:ann/calc.git", "github"},
		{"", "ssh://git@ssh.github.com.evil.example/ann/calc.git", ""}, {"", "https://ssh.github.com/ann/calc.git", ""},
		{"https://ghe.example.com:8443", "ssh://git@ghe.example.com:2222/ann/calc", "github"},
		{"https://[2001:db8::1]:8443", "ssh://git@[2001:db8::1]:22/ann/calc", "github"},
		{"https://[2001:db8::1]:8443", "ssh://git@[2001:db8::2]:22/ann/calc", ""},
		{"https://ghe.example.com:8443", "ann/calc", "github"},
		{"https://ghe.example.com:8443", "https://ghe.example.com/ann/calc", ""},
		{"https://api.acme.ghe.com", "https://acme.ghe.com/ann/calc", "github"},
		{"https://api.acme.ghe.com", "git@acme.ghe.com:ann/calc.git", "github"},
		{"https://api.acme.ghe.com", "https://globex.ghe.com/ann/calc", ""},
	} {
		cfg := load(t, "LONGSHIFT_GITHUB_URL="+c.base, "LONGSHIFT_WEB_URL=https://temporal.example.com/")
		hub, err := newHub(cfg, slog.New(slog.DiscardHandler))
		must(t, err)
		control := newControl(cfg, hub, nil)
		if control.WebURL != "https://temporal.example.com" {
			t.Errorf("links begin with %q", control.WebURL)
		}
		f, err := control.Forge(t.Context(), repository(t, c.repository))
		got := ""
		switch f.(type) {
		case *github.Forge:
			got = "github"
		case *local.Forge:
			got = "local"
		}
		if got != c.want {
			t.Errorf("%s with %q: forge %T, want %s", c.repository, c.base, f, c.want)
		}
		if c.want == "" {
			wantFault(t, err, fault.Input, c.repository, "LONGSHIFT_GITHUB_URL")
		}
	}
}

// Setup, checks and agents get an environment that was built for them. Nothing of the worker's own goes along, but for the
// path.
func TestEnvironmentsHoldNoSecret(t *testing.T) {
	secrets := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-1", "LONGSHIFT_ANTHROPIC_KEY": "sk-ant-2", "CLAUDE_CODE_OAUTH_TOKEN": "oat-1",
		"GITHUB_TOKEN": "ghp-1", "GH_TOKEN": "ghp-2", "LONGSHIFT_GITHUB_TOKEN": "ghp-3", "AWS_SECRET_ACCESS_KEY": "aws-1",
		"SSH_AUTH_SOCK": "/run/agent-1", "TEMPORAL_API_KEY": "tmp-1", "BASH_ENV": "/evil-1", "GIT_CONFIG_GLOBAL": "/evil-2", "NPM_TOKEN": "npm-1"}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	t.Setenv("GOCACHE", "/shared/go-build")
	t.Setenv("PATH", "/opt/tools:/usr/bin:/usr/local/go/bin")
	bareHome(t)
	cfg, err := config.Load(os.LookupEnv)
	must(t, err)
	dirs := activities.Dirs{Home: "/srv/data/tasks/t/home", Cache: "/srv/data/caches/r"}
	agent := agentEnv(cfg)(dirs)
	want := map[string]string{
		"GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "auto", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0", "GIT_TERMINAL_PROMPT": "0",
		"GIT_AUTHOR_NAME": "Longshift", "GIT_AUTHOR_EMAIL": "longshift@localhost",
		"GIT_COMMITTER_NAME": "Longshift", "GIT_COMMITTER_EMAIL": "longshift@localhost",
		"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0",
		"HTTPS_PROXY": "http://127.0.0.1:3128", "HTTP_PROXY": "http://127.0.0.1:3128", "https_proxy": "http://127.0.0.1:3128",
		"http_proxy": "http://127.0.0.1:3128", "NO_PROXY": "127.0.0.1,localhost,::1", "no_proxy": "127.0.0.1,localhost,::1",
		"YARN_HTTPS_PROXY": "http://127.0.0.1:3128", "YARN_HTTP_PROXY": "http://127.0.0.1:3128",
	}
	for name, folder := range toolcache.Variables {
		want[name] = "/srv/data/caches/r/" + folder
	}
	if diff := cmp.Diff(want, agent); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	maps.Copy(want, map[string]string{"HOME": "/srv/data/tasks/t/home", "PATH": "/opt/tools:/usr/bin:/usr/local/go/bin", "LANG": "C.UTF-8",
		"TZ": "UTC", "TERM": "dumb", "CI": "true"})
	command := commandEnv(cfg)(dirs)
	for _, value := range secrets {
		if text := strings.Join(command, "\n"); strings.Contains(text, value) {
			t.Errorf("%s is in the environment", value)
		}
	}
	var lines []string
	for name, value := range want {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	slices.Sort(command)
	if diff := cmp.Diff(lines, command); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestModelCredential(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		want gateway.Credential
	}{
		{[]string{"ANTHROPIC_API_KEY=sk-ant-1"}, gateway.Credential{Kind: gateway.APIKey, Value: "sk-ant-1"}},
		{[]string{"LONGSHIFT_CLAUDE_TOKEN=oat-1"}, gateway.Credential{Kind: gateway.OAuth, Value: "oat-1"}},
		{[]string{"ANTHROPIC_API_KEY=sk-ant-1", "LONGSHIFT_CLAUDE_TOKEN=oat-1"}, gateway.Credential{Kind: gateway.APIKey, Value: "sk-ant-1"}},
	} {
		got, err := modelCredential(load(t, c.env...))(t.Context())
		if err != nil || got != c.want {
			t.Errorf("%v: %+v, %v", c.env, got, err)
		}
	}
	for _, c := range []struct{ env, want []string }{ // what is meant for us goes before what is meant for every program
		{[]string{"ANTHROPIC_AUTH_TOKEN=t1"}, []string{"bearer", "t1"}},
		{[]string{"ANTHROPIC_AUTH_TOKEN=t1", "ANTHROPIC_API_KEY=k1"}, []string{"bearer", "t1"}},
		{[]string{"ANTHROPIC_AUTH_TOKEN=t1", "LONGSHIFT_ANTHROPIC_KEY=k1"}, []string{"api_key", "k1"}},
		{[]string{"LONGSHIFT_ANTHROPIC_TOKEN=t1", "LONGSHIFT_ANTHROPIC_KEY=k1"}, []string{"bearer", "t1"}},
	} {
		got, err := modelCredential(load(t, c.env...))(t.Context())
		if err != nil || string(got.Kind) != c.want[0] || got.Value != c.want[1] {
			t.Errorf("%v: %+v, %v", c.env, got, err)
		}
	}
	_, err := modelCredential(load(t))(t.Context())
	wantFault(t, err, fault.Denied, "no key", "LONGSHIFT_ANTHROPIC_KEY_FILE")
}

// What is told to a host: every secret that can be read now is hidden in its logs and results.
func TestSecretValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gone")
	cfg := load(t, "ANTHROPIC_API_KEY=sk-ant-1", "LONGSHIFT_CLAUDE_TOKEN= oat-1 ", "LONGSHIFT_GITHUB_TOKEN_FILE="+file)
	if diff := cmp.Diff([]string{"sk-ant-1", "oat-1"}, secretValues(cfg)); diff != "" {
		t.Error(diff)
	}
}

func TestNewHost(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cfg := load(t, "LONGSHIFT_DATA="+data, "LONGSHIFT_SCENARIO=/s.yaml", "LONGSHIFT_MAX_COST=3", "LONGSHIFT_HEARTBEAT=7s", "LONGSHIFT_SLOTS=5",
		"LONGSHIFT_APPROVAL=required")
	h, end, err := newHostConfig(context.Background(), cfg, redact.New(), slog.New(slog.DiscardHandler))
	must(t, err)
	if diff := cmp.Diff([]string{"claude", "script"}, slices.Sorted(maps.Keys(h.Agents))); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	id, err := hostID(data)
	if err != nil || h.ID != id || h.Data != data || h.Scenario != "/s.yaml" || h.Heartbeat != 7*time.Second || h.Slots != 5 ||
		h.FreeMemory == nil || h.Limits.MaxCost != 3 || h.Limits.Approval != "required" {
		t.Errorf("the host is %+v, %v", h.Limits, err)
	}
	if each := newControl(cfg, nil, nil).Limits.Each; each != (task.Bounds{MaxCost: 3, Approval: "required"}) {
		t.Errorf("the control worker gives every host %+v", each)
	}
	spec := gateway.Spec{ID: "s1", Ledger: filepath.Join(data, "ledger")}
	s, err := h.Gateway.Open(spec)
	must(t, err)
	s.Close()
	end()
	if _, err := h.Gateway.Open(spec); err == nil {
		t.Error("the gateway outlives the host")
	}
	h, end, err = newHostConfig(context.Background(), load(t, "LONGSHIFT_DATA="+data), redact.New(), slog.New(slog.DiscardHandler))
	must(t, err)
	defer end()
	if _, ok := h.Agents["script"]; ok || len(h.Agents) != 1 || h.Scenario != "" {
		t.Error("the scripted agent may be chosen without a scenario of the operator")
	}
}

// queue is a server that says who asks a task queue for work.
type queue struct {
	client.Client
	pollers []*taskqueuepb.PollerInfo
	fails   error
}

func (q queue) DescribeTaskQueue(_ context.Context, name string, kind enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error) {
	if name != signals.Queue || kind != enumspb.TASK_QUEUE_TYPE_ACTIVITY {
		return nil, errors.New("another queue")
	}
	return &workflowservice.DescribeTaskQueueResponse{Pollers: q.pollers}, q.fails
}

// TestWorkersOf: each worker that has asked for work lately counts once, whatever the server takes for now.
func TestWorkersOf(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
		poller := func(name string, ago time.Duration) *taskqueuepb.PollerInfo {
			return &taskqueuepb.PollerInfo{Identity: name, LastAccessTime: timestamppb.New(time.Now().Add(ahead - ago))}
		}
		q := queue{pollers: []*taskqueuepb.PollerInfo{poller("a", time.Second), poller("a", 4*time.Minute), poller("b", 70*time.Second), poller("gone", 3*time.Minute)}}
		if n, err := workersOf(q)(t.Context()); n != 2 || err != nil {
			t.Errorf("the server's clock is %s ahead: %d workers, %v", ahead, n, err)
		}
	}
	if _, err := workersOf(queue{fails: errors.New("away")})(t.Context()); fault.KindOf(err) != fault.Infra {
		t.Errorf("got %v", err)
	}
}
