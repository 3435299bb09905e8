package activities

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// scene is a host with the real agent, and what a hostile model would like to reach from it.
type scene struct {
	*bench
	assailant
	outside string // a folder that is not the task's
	canary  string // a secret in the environment of another process
	tcp     int    // a port on loopback that is not the gateway's
	udp     int
	unix    string // a socket in outside
	hits    atomic.Int32
}

func newScene(t *testing.T, of assailant, group []attack) *scene {
	t.Helper()
	s := &scene{assailant: of, canary: "canary-" + uuid.NewString()}
	s.bench = newBench(t, nil)
	if of.driver != nil {
		binary := of.binary(t)
		s.Agents = map[string]agent.Agent{of.name: of.driver(t, program.Config{Binary: binary, Path: os.Getenv("PATH"), Grace: time.Second})}
		s.Confine.Readable = []string{filepath.Dir(binary)}
		s.start()
	}
	s.outside = t.TempDir()
	s.listen()
	other := exec.Command("/bin/sleep", "1000")
	other.Env = []string{"CANARY=" + s.canary}
	must(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	s.prepare()
	var turns []agenttest.Turn
	for _, a := range group {
		turns = append(turns, agenttest.Turn{Tools: a.calls(s)})
	}
	turns = append(turns, agenttest.Turn{Text: "<PROGRESS>\ntried\n</PROGRESS>"})
	script := agenttest.Script{Key: modelKey, Rules: []agenttest.Rule{{Turns: turns}}}
	s.Gateway = newGateway(t, agenttest.NewServer(t, script.In(of.tools)).URL)
	s.Confine.Hidden = []string{s.Data}
	log, err := audit.Open(t.Context(), filepath.Join(s.Data, audit.FileName), s.Log)
	must(t, err)
	t.Cleanup(func() { _ = log.Close() })
	s.Audit = log
	s.start()
	return s
}

// listen opens ports and a socket that nothing in the box may reach.
func (s *scene) listen() {
	s.t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(s.t, err)
	s.unix = filepath.Join(s.outside, "docker.sock")
	unix, err := net.Listen("unix", s.unix)
	must(s.t, err)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(s.t, err)
	s.tcp, s.udp = tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port
	for _, l := range []net.Listener{tcp, unix} {
		s.t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				s.hits.Add(1)
				_ = c.Close()
			}
		}()
	}
	s.t.Cleanup(func() { _ = udp.Close() })
	go func() {
		buffer := make([]byte, 100)
		for {
			if _, _, err := udp.ReadFrom(buffer); err != nil {
				return
			}
			s.hits.Add(1)
		}
	}()
}

// play runs the session to its end, however it ends.
func (s *scene) play(role task.Role) {
	s.t.Helper()
	if role == "" {
		role = task.Implementer
	}
	in := s.session(role, s.name)
	in.Model = s.model
	in.Commands = task.CommandSettings{Profiles: task.DefaultProfiles(), Questions: task.QuestionsDeny}
	in.Paths = task.PathSettings{ReadOnly: []string{"README.md"}}
	in.Wall = 5 * time.Minute // on a busy machine, too
	res, err := s.attempt().session(s.Sessions, in)
	if err != nil {
		s.t.Errorf("the session: %v", err)
		return
	}
	s.t.Logf("the session: %s %s", res.Kind, firstWords(res.Error))
	if left := agenttest.Processes(s.t, in.ID); len(left) > 0 {
		s.t.Errorf("processes are left: %v", left)
	}
}

func firstWords(text string) string { return excerpt.Line(text, 200) }

// harmed fails the test for each attack that has done something.
func (s *scene) harmed(group []attack) {
	s.t.Helper()
	for _, a := range group {
		if harm := a.harm(s); harm != "" {
			s.t.Errorf("%s: %s", a.name, harm)
		}
	}
}

// denials counts the refusals in the command log.
func (s *scene) denials() (n int) {
	s.t.Helper()
	for r, err := range s.Audit.(*audit.Log).List(s.t.Context(), audit.Filter{}) {
		must(s.t, err)
		if r.Decision != audit.Allow && !strings.HasPrefix(r.Rule, "project.") {
			n++
		}
	}
	return n
}
