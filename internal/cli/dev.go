package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

type devOptions struct {
	port, uiPort        int
	portGiven           bool
	headless, ephemeral bool
}

func (p *program) devCommand() *cobra.Command {
	var o devOptions
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine: Temporal server, Temporal Web and a worker",
		Long: `Run a Temporal server with Temporal Web and a worker, until Ctrl-C. A crashed worker or server is started
again. A server that answers already is used and left alone. The server keeps its state in the data folder;
with --ephemeral it forgets everything at the end. The worker logs warnings, or what LONGSHIFT_LOG says.`,
		Example:     "  longshift dev\n  longshift dev --port 7300 --ui-port 8300\n  TEMPORAL_ADDRESS=temporal.example.com:7233 longshift dev   # a worker for that server",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer),
		RunE: func(c *cobra.Command, _ []string) error {
			o.portGiven = c.Flags().Changed("port")
			return p.dev(c.Context(), o)
		},
	}
	c.Flags().IntVar(&o.port, "port", 7233, "`port` of the Temporal server")
	c.Flags().IntVar(&o.uiPort, "ui-port", 0, "`port` of Temporal Web (default: --port + 1000)")
	c.Flags().BoolVar(&o.headless, "headless", false, "without Temporal Web")
	c.Flags().BoolVar(&o.ephemeral, "ephemeral", false, "the server keeps nothing on disk")
	return c
}

// devInfo is what dev prints when everything is up.
type devInfo struct {
	Temporal string `json:"temporal"`
	Web      string `json:"web,omitempty"`
	Data     string `json:"data"`
	Started  bool   `json:"started"` // the server is ours
}

func (p *program) dev(ctx context.Context, o devOptions) error {
	conf, err := p.config()
	if err != nil {
		return err
	}
	if err := makeData(conf.Data); err != nil {
		return err
	}
	defer p.warnOfModel(ctx, conf)()
	s := &stack{p: p, role: conf.Role, line: p.childLine}
	defer s.stop()
	info, err := s.useOrStart(ctx, o, conf)
	if err != nil {
		return p.devEnd(ctx, err)
	}
	if conf, err = p.withToken(ctx); err != nil {
		return p.devEnd(ctx, err)
	}
	s.env = s.workerEnv(info, conf)
	if err := s.startWorker(ctx); err != nil {
		return p.devEnd(ctx, err)
	}
	if err := p.print(info, func() string { return devText(info) }); err != nil {
		return err
	}
	s.keepUp(ctx)
	p.say("stopping; a task that runs goes on at the next start")
	return nil
}

// warnOfModel says, while everything starts, what would keep agents from their model. The function that it gives waits for it.
func (p *program) warnOfModel(ctx context.Context, conf config.Config) (wait func()) {
	if !conf.Role.Host() || !slices.Contains(conf.Agents, "claude") {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f := p.checkModel(ctx, conf); f.State != stateOK && ctx.Err() == nil {
			p.say("%s: %s; %s", f.Check, f.Detail, f.Hint)
		}
	}()
	return func() { cancel(); <-done }
}

// devEnd makes Ctrl-C, which is how dev is meant to end, a success.
func (p *program) devEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *program) childLine(line string) { p.say("%s", line) }

func devText(i devInfo) string {
	return facts("Longshift is up. Ctrl-C ends it.", "Temporal", i.Temporal, "Temporal Web", i.Web, "Data", i.Data) +
		"\nIn a git repository, in another terminal:\n  " + devHint(i) + "longshift run \"fix the failing tests\"\n"
}

// devHint sets the addresses where they are not the ones that other commands take by themselves.
func devHint(i devInfo) string {
	hint := ""
	if i.Temporal != "localhost:7233" && i.Temporal != "127.0.0.1:7233" {
		hint = "TEMPORAL_ADDRESS=" + i.Temporal + " "
	}
	if i.Web != "" && i.Started && i.Web != webBeside(i.Temporal) {
		hint += "LONGSHIFT_WEB_URL=" + i.Web + " "
	}
	return hint
}

// webOf is where Temporal Web of a server is: where somebody has said, or beside a server on this machine as dev starts it.
func (p *program) webOf(said, address string) string {
	if beside := webBeside(address); beside != "" && p.env.Get("LONGSHIFT_WEB_URL") == "" {
		return beside
	}
	return said
}

// webBeside is the address of Temporal Web as dev starts it with a server on this machine, "" for one elsewhere.
func webBeside(address string) string {
	host, text, err := net.SplitHostPort(address)
	port, bad := strconv.Atoi(text)
	if err != nil || bad != nil || host != "localhost" && host != "127.0.0.1" {
		return ""
	}
	return fmt.Sprintf("http://localhost:%d", port+webAbove)
}

// webAbove is how far the port of Temporal Web lies above that of the server, unless somebody says otherwise.
const webAbove = 1000

// useOrStart uses the server that answers, or starts one.
func (s *stack) useOrStart(ctx context.Context, o devOptions, conf config.Config) (devInfo, error) {
	var err error
	if s.options, err = s.p.clientOptions(); err != nil {
		return devInfo{}, err
	}
	if o.portGiven {
		s.options.HostPort = net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port))
	}
	address := s.options.HostPort
	s.p.address, s.p.namespace = address, s.options.Namespace
	if c, err := dial(ctx, s.options); err == nil {
		s.client = c
		s.p.say("using the Temporal server that answers at %s", shownAddress(address))
		return devInfo{Temporal: shownAddress(address), Web: s.p.webOf(conf.WebURL, address), Data: conf.Data}, nil
	} else if ctx.Err() != nil {
		return devInfo{}, ctx.Err()
	}
	f, err := s.p.serverFlags(o, address, conf)
	if err != nil {
		return devInfo{}, err
	}
	f.namespace = s.options.Namespace
	s.options = s.p.localOptions(f.port, f.namespace)
	if err := s.startServer(ctx, f); err != nil {
		return devInfo{}, err
	}
	info := devInfo{Temporal: shownAddress(s.options.HostPort), Data: conf.Data, Started: true}
	if !f.headless {
		info.Web = fmt.Sprintf("http://localhost:%d", f.uiPort)
	}
	return info, nil
}

// workerEnv is the worker's environment: ours, and where the server is. A server of our own has no TLS and no key, whatever
// the profile says. A token that gh has goes along: the worker asks nobody.
func (s *stack) workerEnv(info devInfo, conf config.Config) []string {
	env := s.p.envWithout("TEMPORAL_ADDRESS=", "LONGSHIFT_WEB_URL=", "LONGSHIFT_DATA=")
	if info.Started {
		env = append(s.p.envWithout("TEMPORAL_", "LONGSHIFT_WEB_URL=", "LONGSHIFT_DATA="), localProfile(s.options)...)
	}
	env = append(env, "TEMPORAL_ADDRESS="+s.options.HostPort, "LONGSHIFT_DATA="+conf.Data)
	if token, err := conf.GitHubToken.Read(); err == nil && conf.GitHubToken.Source() == ghSource {
		env = append(env, "GH_TOKEN="+token)
	}
	if s.p.env.Get("LONGSHIFT_LOG") == "" {
		env = append(env, "LONGSHIFT_LOG=warn") // what works needs no lines on somebody's terminal
	}
	if info.Web != "" {
		env = append(env, "LONGSHIFT_WEB_URL="+info.Web)
	}
	return env
}

// localProfile are the variables that keep a worker from reading a profile meant for another server.
func localProfile(o client.Options) []string {
	return []string{"TEMPORAL_ADDRESS=" + o.HostPort, "TEMPORAL_NAMESPACE=" + o.Namespace, "TEMPORAL_CONFIG_FILE=" + os.DevNull}
}

// serverFlags say what server to start at an address where none answers.
func (p *program) serverFlags(o devOptions, address string, conf config.Config) (serverFlags, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil || (host != "localhost" && host != "127.0.0.1") {
		return serverFlags{}, fault.New(fault.Infra, "no Temporal server at %s, and one can be started on this machine only", address).
			WithHint("check TEMPORAL_ADDRESS, or unset it")
	}
	f := serverFlags{headless: o.headless, uiPort: o.uiPort}
	if f.port, err = strconv.Atoi(portText); err != nil || f.port < 1 || f.port > 65535 {
		return serverFlags{}, fault.New(fault.Input, "--port %s: not a port", portText).WithHint("give a number from 1 to 65535")
	}
	if f.uiPort == 0 {
		f.uiPort = f.port + webAbove
	}
	if !o.ephemeral {
		f.database = filepath.Join(conf.Data, "temporal.db")
	}
	if !portFree(f.port) {
		return f, fault.New(fault.Input, "port %d is in use by another program", f.port).WithHint("stop it, or give another --port")
	}
	if !f.headless && (f.uiPort < 1 || f.uiPort > 65535 || !portFree(f.uiPort)) {
		return f, fault.New(fault.Input, "port %d for Temporal Web is in use by another program or no port", f.uiPort).WithHint("give another --ui-port, or --headless")
	}
	return f, nil
}
