package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Name is the repository of the stage, as GitHub knows it.
const Name = "acme/calc"

// Key is the model key that only the worker may know.
const Key = "sk-ant-test-0000000000000000000000000000000000000000"

// Stage is one scene: the server, a model that plays a script, GitHub with the repository behind smart HTTP, one worker.
type Stage struct {
	*Server
	T      testing.TB
	Model  *agenttest.Server
	GitHub *forgetest.GitHub
	Bare   string // the repository on disk
	Front  string // where git and the API answer
	Worker *Worker
	Begun  client.WorkflowRun

	mu       sync.Mutex
	workers  []*Worker                // all that were started
	onGit    func(service string)     // before a git request is served
	gitFault func(service string) int // the status that a git request is answered with in place of its service, or 0
}

// NewStage sets the scene with the real Claude Code. The worker's environment can be added to.
func NewStage(t testing.TB, script agenttest.Script, settings string, env ...string) *Stage {
	t.Helper()
	return NewStageOn(t, func() *Server { return StartServer(t, false) }, script, settings, env...)
}

// NewStageOn sets the scene on a server of the caller's making.
func NewStageOn(t testing.TB, server func() *Server, script agenttest.Script, settings string, env ...string) *Stage {
	t.Helper()
	claude := Claude(t)
	s := SetStage(t, script, settings)
	s.Server = server()
	s.Worker = s.NewWorker(claude, env...)
	return s
}

// SetStage sets the scene without its server and its worker.
func SetStage(t testing.TB, script agenttest.Script, settings string) *Stage {
	t.Helper()
	script.Key = Key
	s := &Stage{T: t, GitHub: forgetest.NewGitHub(t), Bare: bare(t, Repository(settings))}
	s.Model = agenttest.NewServer(t, script)
	s.GitHub.AddRepository(forgetest.Repository{Name: Name, GitDir: s.Bare, Merges: true, Collaborators: []string{"ada"}})
	s.Front = s.front()
	return s
}

// NewWorker starts a worker with a data directory of its own: another host.
func (s *Stage) NewWorker(claude string, env ...string) *Worker {
	s.T.Helper()
	w := s.StartWorker(s.T, s.T.TempDir(), append([]string{
		"LONGSHIFT_CLAUDE=" + claude, "LONGSHIFT_ANTHROPIC_URL=" + s.Model.URL, "LONGSHIFT_ANTHROPIC_KEY=" + Key,
		"LONGSHIFT_OPENAI_URL=" + s.Model.URL, "LONGSHIFT_OPENAI_KEY=" + Key,
		"LONGSHIFT_GITHUB_URL=" + s.Front, "LONGSHIFT_GITHUB_TOKEN=" + forgetest.Token,
	}, env...)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers = append(s.workers, w)
	return w
}

// started gives the workers of all hosts, lost ones included.
func (s *Stage) started() []*Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.workers)
}

// OnGit sets what is called before a request of git's smart protocol is served.
func (s *Stage) OnGit(f func(service string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onGit = f
}

// front serves git and GitHub's API at one address, as GitHub Enterprise does.
func (s *Stage) front() string {
	api, err := url.Parse(s.GitHub.URL)
	if err != nil {
		s.T.Fatal(err)
	}
	toAPI := httputil.NewSingleHostReverseProxy(api)
	backend := gitBackend(s.T)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			toAPI.ServeHTTP(w, r)
			return
		}
		if _, password, _ := r.BasicAuth(); !s.GitHub.Takes(password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		s.mu.Lock()
		hook := s.onGit
		s.mu.Unlock()
		if hook != nil && r.Method == http.MethodPost {
			hook(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
		}
		if status := s.gitStatus(r); status != 0 {
			http.Error(w, http.StatusText(status), status)
			return
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git")
		dir, writable := s.GitHub.GitDir(name)
		if dir == "" {
			http.NotFound(w, r)
			return
		}
		if push := strings.HasSuffix(r.URL.Path, receivePack) || r.URL.Query().Get("service") == receivePack; push && !writable {
			http.Error(w, "not for this token", http.StatusForbidden)
			return
		}
		(&cgi.Handler{Path: backend, Root: "/" + name + ".git", Dir: dir, InheritEnv: []string{"PATH"}, Stderr: io.Discard, Env: []string{
			"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		}}).ServeHTTP(w, r)
	}))
	s.T.Cleanup(server.Close)
	return server.URL
}

const receivePack = "git-receive-pack"

func gitBackend(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
}

// bare makes the remote, which takes pushes over HTTP.
func bare(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := gittest.NewBare(t, files)
	gittest.Git(t, dir, "config", "http.receivepack", "true")
	return dir
}

// Play starts the story's task. change may alter its input.
func (s *Stage) Play(change ...func(map[string]any)) client.WorkflowRun {
	s.T.Helper()
	input := map[string]any{"repository": Name, "task": Ask}
	for _, c := range change {
		c(input)
	}
	s.Begun = s.Begin(s.T, "story-"+fmt.Sprint(time.Now().UnixNano()), input)
	return s.Begun
}

func (s *Stage) Ended() signals.Status {
	s.T.Helper()
	return s.End(s.T, s.Begun, 10*time.Minute)
}

// Until waits until the story's status fits.
func (s *Stage) Until(what string, ok func(signals.Status) bool) signals.Status {
	s.T.Helper()
	var now signals.Status
	Eventually(s.T, 4*time.Minute, what, func() bool {
		st, answered := s.Status(s.Begun.GetID())
		if answered {
			now = st
		}
		return answered && ok(st)
	})
	return now
}

// Updated sends an update and gives its answer.
func (s *Stage) Updated(name string, payload any) (signals.Ack, error) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var ack signals.Ack
	h, err := s.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: s.Begun.GetID(), UpdateName: name,
		Args: []any{payload}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err != nil {
		return ack, err
	}
	return ack, h.Get(ctx, &ack)
}

// Subjects are the first lines of the branch's commits since main, the oldest first.
func (s *Stage) Subjects(branch string) []string {
	out := gittest.Git(s.T, s.Bare, "log", "--reverse", "--format=%s", "main.."+branch)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// WholeTurns counts, for each rule and turn, how often the model's answer went out whole.
func (s *Stage) WholeTurns() map[string]int {
	counts := map[string]int{}
	for _, c := range s.Model.Calls() {
		if c.Whole && c.Status == http.StatusOK {
			counts[fmt.Sprintf("%s/%d", c.Rule, c.Turn)]++
		}
	}
	return counts
}

// Cost is what the story's scripted answers cost at list price: planner on opus, the others on sonnet.
func Cost(opus, sonnet int) float64 {
	per := func(in, out, read, write float64) float64 {
		u := Counted
		return (float64(u.Input)*in + float64(u.Output)*out + float64(u.CacheRead)*read + float64(u.CacheWrite)*write) / 1e6
	}
	return float64(opus)*per(4, 20, 0.2, 5) + float64(sonnet)*per(2, 10, 0.1, 2.5)
}

func Sum(sessions []signals.Session) (u task.Usage) {
	for _, s := range sessions {
		u = u.Add(s.Usage)
	}
	return u
}

// transcripts are where the agents keep their conversations, below a session's folder, and how the result of a call looks there. %s is what
// the agent calls the session.
var transcripts = []struct{ pattern, result string }{
	{"*/agent/home/.claude/projects/*/%s.jsonl", `"type":"tool_result"`},
	{"*/agent/codex/sessions/*/*/*/rollout-*-%s.jsonl", `"type":"function_call_output"`},
}

// Recorded waits, for five seconds at most, until the agent's own transcript of a session on this host holds the results of so
// many tool calls. It may be called from a server's handler, so it fails the test without ending it.
func (s *Stage) Recorded(session string, results int) {
	deadline := time.NewTimer(5 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		n := 0
		for _, of := range transcripts {
			files, _ := filepath.Glob(filepath.Join(s.Worker.Data, "tasks", "*", "sessions", fmt.Sprintf(of.pattern, session)))
			for _, f := range files {
				data, _ := os.ReadFile(f)
				n += strings.Count(string(data), of.result)
			}
		}
		if n >= results {
			return
		}
		select {
		case <-deadline.C:
			s.T.Errorf("the transcript of session %s holds %d tool results after five seconds, want %d", session, n, results)
			return
		case <-tick.C:
		}
	}
}
