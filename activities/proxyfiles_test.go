package activities

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/task"
)

// refusing is a proxy to no registry. It notes what programs ask for.
type refusing struct {
	mu    sync.Mutex
	asked []string
}

func (r *refusing) dial(context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		line, _ := bufio.NewReader(theirs).ReadString('\n')
		r.mu.Lock()
		r.asked = append(r.asked, strings.TrimSpace(line))
		r.mu.Unlock()
		_, _ = io.WriteString(theirs, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
	}()
	return ours, nil
}

func (r *refusing) has(line string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, asked := range r.asked {
		if strings.HasPrefix(asked, line) {
			return true
		}
	}
	return false
}

// Maven asks the proxy for its plugins, and Gradle has the same in its settings. Neither reads the environment for that.
func TestMavenAndGradleKnowTheProxy(t *testing.T) {
	t.Parallel()
	var proxy refusing
	b := confined(t, "")
	b.Confine.Egress = proxy.dial
	b.CommandEnv = func(d Dirs) []string {
		return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home,
			"GRADLE_USER_HOME=" + filepath.Join(d.Cache, toolcache.Variables["GRADLE_USER_HOME"])}
	}
	b.start()
	const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version></project>`
	out := b.check("grep systemProp.https.proxyHost=127.0.0.1 $GRADLE_USER_HOME/gradle.properties && "+
		"grep '<port>3128</port>' ~/.m2/settings.xml && echo mine > ~/.m2/settings.xml", nil)
	if !out.Passed() {
		t.Errorf("exit %d: %s", out.ExitCode, out.Tail)
	}
	if out := b.check("grep mine ~/.m2/settings.xml && rm ~/.m2/settings.xml", nil); !out.Passed() {
		t.Errorf("settings of the task's own do not stay: %s", out.Tail)
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Log("mvn is not on this machine")
		return
	}
	out = b.check("echo '"+pom+"' > pom.xml; mvn -B test || true", func(in *CommandInput) { in.Wall = 2 * time.Minute })
	if !proxy.has("CONNECT repo.maven.apache.org:443 ") {
		t.Errorf("asked for %q; mvn says: %s", proxy.asked, out.Tail)
	}
}

// Agents' commands have the files where their home is.
func TestAgentsMavenKnowsTheProxy(t *testing.T) {
	t.Parallel()
	var found []byte
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		found, _ = os.ReadFile(filepath.Join(s.StateDir, "home/.m2/settings.xml"))
		p, err := s.Start(ctx, process.Spec{Path: "/bin/true", Dir: s.Dir})
		if err == nil {
			p.Wait()
		}
		return agent.Outcome{Kind: agent.Completed}, err
	}}})
	b.Confine = Confinement{Box: reaching{t}, Egress: (&refusing{}).dial}
	b.start()
	b.prepare()
	_, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	must(t, err)
	if string(found) != mavenSettings {
		t.Errorf("found %q", found)
	}
}

// What a program has left in the place of the files leads to none outside of its folders, and stops nothing.
func TestProxyFilesFollowNoLink(t *testing.T) {
	t.Parallel()
	outside, home, caches := t.TempDir(), t.TempDir(), t.TempDir()
	must(t, os.Symlink(outside, filepath.Join(home, ".m2")))
	must(t, os.MkdirAll(filepath.Join(caches, "gradle"), 0o700))
	must(t, os.Symlink(filepath.Join(outside, "x"), filepath.Join(caches, "gradle/gradle.properties")))
	writeProxyFiles(home, ".", Dirs{own: caches})
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("written outside: %v, %v", left, err)
	}
	writeProxyFiles(filepath.Join(home, "gone"), ".", Dirs{own: caches})
}
