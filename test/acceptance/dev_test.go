package acceptance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/toolcache/toolcachetest"
	"github.com/longshift/longshift/test/lab"
)

const key = "sk-ant-test-0000000000000000000000000000000000000000"

// dev is `longshift dev` in a terminal of its own, and the model that its worker calls.
type dev struct {
	*person
	model   *agenttest.Server
	read    func(agenttest.Result) (text string, failed bool)
	address []string // what the hint that it prints sets for other terminals
	log     string
	cmd     *exec.Cmd
	ended   chan error
}

// newModel starts a model that wants the key.
func newModel(t testing.TB, script agenttest.Script) *agenttest.Server {
	t.Helper()
	script.Key, script.KeepBodies = key, true
	return agenttest.NewServer(t, script)
}

// startDev starts it as the README says, on ports that are free and with more in its environment. It is ended with Ctrl-C when the test ends, and must leave nothing.
func startDev(t testing.TB, p *person, script agenttest.Script, env ...string) *dev {
	t.Helper()
	return startDevOn(t, p, newModel(t, script), env...)
}

// startDevOn is startDev with a model that runs.
func startDevOn(t testing.TB, p *person, model *agenttest.Server, env ...string) *dev {
	t.Helper()
	d := &dev{person: p, model: model, read: claudeCode.read, log: filepath.Join(p.home, "..", "dev.log"), ended: make(chan error, 1)}
	out, err := os.Create(d.log)
	must(t, err)
	defer out.Close()
	d.cmd = p.command(context.Background(), p.home, filepath.Join(p.home, "longshift", "longshift"), "dev",
		"--port", fmt.Sprint(lab.FreePort(t)), "--ui-port", fmt.Sprint(lab.FreePort(t)))
	d.cmd.Env = append(d.cmd.Env, "ANTHROPIC_API_KEY="+key, "LONGSHIFT_ANTHROPIC_URL="+d.model.URL)
	d.cmd.Env = append(d.cmd.Env, env...)
	if p.user == nil { // another user can't read it
		seed, err := toolcachetest.Seed()
		must(t, err)
		d.cmd.Env = append(d.cmd.Env, "LONGSHIFT_CACHE="+seed)
	}
	if set := registrySetting(t); set != "" {
		d.cmd.Env = append(d.cmd.Env, "LONGSHIFT_REGISTRIES="+set)
	}
	d.cmd.Stdout, d.cmd.Stderr = out, out
	must(t, d.cmd.Start())
	go func() { d.ended <- d.cmd.Wait() }()
	t.Cleanup(d.stop)
	lab.Eventually(t, 90*time.Second, "longshift dev is up", func() bool { return d.up() })
	if !peopleLink.MatchString(d.said()) {
		t.Error("longshift dev does not say where to see what waits for people")
	}
	return d
}

var hint = regexp.MustCompile(`(?m)^  (.*)longshift run "`)

// peopleLink is the line with the list of what waits for people.
var peopleLink = regexp.MustCompile(`(?m)^  Waits for you  http://localhost:\d+/namespaces/default/workflows\?query=LongshiftNeedsHuman`)

// troubles are lines of the server and the worker about something that went wrong.
var troubles = regexp.MustCompile(`level=(WARN|ERROR)|panic:`)

// up tells whether dev has said how to go on; what it says to set is what other terminals set.
func (d *dev) up() bool {
	select {
	case err := <-d.ended:
		d.ended <- err
		d.t.Fatalf("longshift dev has ended: %v\n%s", err, d.said())
	default:
	}
	m := hint.FindStringSubmatch(d.said())
	if m != nil {
		d.address = strings.Fields(m[1])
	}
	return m != nil
}

func (d *dev) said() string {
	data, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// stop presses Ctrl-C, and looks at what is left when dev has ended.
func (d *dev) stop() {
	select {
	case err := <-d.ended:
		d.t.Errorf("longshift dev has ended before Ctrl-C: %v", err)
	default:
		_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGINT)
		select {
		case err := <-d.ended:
			if err != nil {
				d.t.Errorf("longshift dev ended with %v", err)
			}
		case <-time.After(30 * time.Second):
			d.t.Error("longshift dev does not end at Ctrl-C")
			_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
			<-d.ended
		}
	}
	if troubles.MatchString(d.said()) {
		d.t.Error("what works needs no warnings on somebody's terminal")
	}
	if d.t.Failed() {
		d.t.Logf("longshift dev said:\n%s", d.said())
	}
	d.leftNothing()
}
