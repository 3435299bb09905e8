package dev

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// options are what dev uses, and its flags.
type options struct {
	env     environ.Environ
	git     environ.Git
	config  *environ.Config
	server  *server.Connector
	printer *term.Printer
	machine *checkup.Machine
	stack   *stack

	port, uiPort        int
	portGiven           bool
	headless, ephemeral bool
}

// NewDevCommand makes the command dev.
func NewDevCommand(u Uses) *cobra.Command {
	machine := *u.Machine
	machine.Account = nil // a start waits for no forge, which local repositories don't need: doctor asks
	o := &options{env: u.Env, git: u.Git, config: u.Config, server: u.Server, printer: u.Printer, machine: &machine}
	o.stack = newStack(u, "", func(line string) { u.Printer.Say("%s", line) })
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine: Temporal server, Temporal Web and a worker",
		Long: `Run a Temporal server with Temporal Web and a worker, until Ctrl-C. A crashed worker or server is started
again. A server that answers already is used and left alone. The server keeps its state in the data folder;
with --ephemeral it forgets everything at the end. The worker logs warnings, or what LONGSHIFT_LOG says; the server logs errors.`,
		Example: "  longshift dev\n  longshift dev --port 7300 --ui-port 8300\n" +
			"  TEMPORAL_ADDRESS=temporal.example.com:7233 longshift dev   # a worker for that server",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer),
		RunE: func(c *cobra.Command, _ []string) error {
			o.portGiven = c.Flags().Changed("port")
			return o.run(c.Context())
		},
	}
	c.Flags().IntVar(&o.port, "port", 7233, "`port` of the Temporal server")
	c.Flags().IntVar(&o.uiPort, "ui-port", 0, "`port` of Temporal Web (default: --port + 1000)")
	c.Flags().BoolVar(&o.headless, "headless", false, "without Temporal Web")
	c.Flags().BoolVar(&o.ephemeral, "ephemeral", false, "the server keeps nothing on disk")
	return c
}

// info is what dev prints when everything is up.
type info struct {
	Temporal string `json:"temporal"`
	Web      string `json:"web,omitempty"`
	People   string `json:"needsHuman,omitempty"` // what waits for a person, in Temporal Web
	Data     string `json:"data"`
	Started  bool   `json:"started"` // the server is ours

	Checks []checkup.Finding `json:"checks"` // of what the first task needs

	settled    bool           // the current folder is in a repository with settings
	local      bool           // the server is on this machine, and has no TLS and no key
	configured client.Options // the server that other commands find by themselves
}

func (o *options) run(ctx context.Context) error {
	if err := o.refuseDescriptors(); err != nil {
		return err
	}
	conf, err := o.config.WithToken(ctx)
	if err != nil {
		return err
	}
	if err := checkup.MakeData(conf.Data); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	checked := o.checkMachine(ctx, conf)
	defer func() { stop(); <-checked }()
	s := o.stack
	s.role = conf.Role
	defer s.stop()
	info, err := o.useOrStart(ctx, conf)
	if err != nil {
		return devEnd(ctx, err)
	}
	s.workerEnv = o.workerEnv(info, conf)
	if err := s.startWorker(ctx); err != nil {
		return devEnd(ctx, err)
	}
	info.settled = o.settled(ctx)
	info.People = signals.WebListURL(info.Web, s.options.Namespace, signals.NeedsPeople)
	if info.Checks = <-checked; ctx.Err() != nil {
		return nil
	}
	if err := o.printer.Print(info, func() string { return devText(o.printer, info) }); err != nil {
		return err
	}
	s.keepUp(ctx, o.printer.Say)
	o.printer.Say("stopping; %s", s.afterStop())
	return nil
}

// checkMachine checks, while everything starts, what the first task needs. The channel gives the findings and is closed.
func (o *options) checkMachine(ctx context.Context, conf config.Config) <-chan []checkup.Finding {
	checked := make(chan []checkup.Finding, 1)
	go func() {
		defer close(checked)
		checked <- o.machine.Start(ctx, conf)
	}()
	return checked
}

// devEnd makes Ctrl-C, which is how dev is meant to end, a success.
func devEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// useOrStart uses the server that answers, or starts one.
func (o *options) useOrStart(ctx context.Context, conf config.Config) (info, error) {
	s := o.stack
	configured, err := o.server.Options()
	if err != nil {
		return info{}, err
	}
	s.options = configured
	if o.portGiven {
		s.options = o.server.LocalOptions(o.port, configured.Namespace)
	}
	address := s.options.HostPort
	o.server.At(s.options)
	if c, err := server.Dial(ctx, s.options); err == nil {
		s.client = c
		o.printer.Say("using the Temporal server that answers at %s", server.ShownAddress(address))
		return info{Temporal: server.ShownAddress(address), Web: o.webOf(configured, conf, address), Data: conf.Data,
			local: o.portGiven, configured: configured}, nil
	} else if ctx.Err() != nil {
		return info{}, ctx.Err()
	} else if !o.portGiven && fault.KindOf(err) != fault.Infra { // there is a server, which does not take this client
		return info{}, err
	}
	f, err := o.serverFlags(address, conf)
	if err != nil {
		return info{}, err
	}
	f.namespace = s.options.Namespace
	s.options = o.server.LocalOptions(f.port, f.namespace)
	if err := s.startServer(ctx, f); err != nil {
		return info{}, withFolderHint(err, f.database)
	}
	return info{Temporal: server.ShownAddress(s.options.HostPort), Web: o.web(f, configured, conf), Data: conf.Data, Started: true, local: true,
		configured: configured}, nil
}

// withFolderHint says how the server gets another file, when it refuses the one that it has: the server does not know our variable.
func withFolderHint(err error, database string) error {
	if database == "" || !strings.Contains(err.Error(), database) {
		return err
	}
	return fault.New(fault.KindOf(err), "%w", err).WithHint("to keep the server's state in another folder, set LONGSHIFT_DATA")
}

// webOf is where Temporal Web of a server is that answers; "" for nowhere.
func (o *options) webOf(configured client.Options, conf config.Config, address string) string {
	if o.elsewhere(configured) {
		return server.FindWeb(address)
	}
	return o.server.WebOf(conf.WebURL, address)
}

// elsewhere tells whether the settings, and so the address of Temporal Web in them, are for a server on another machine.
func (o *options) elsewhere(configured client.Options) bool {
	return o.portGiven && server.WebBeside(server.ShownAddress(configured.HostPort)) == ""
}

// web is where people find Temporal Web of a server that dev has started: where they have said, or on this machine; "" for nowhere.
func (o *options) web(f serverFlags, configured client.Options, conf config.Config) string {
	switch {
	case o.env.Get("LONGSHIFT_WEB_URL") != "" && !o.elsewhere(configured):
		return conf.WebURL
	case f.headless:
		return ""
	}
	return fmt.Sprintf("http://localhost:%d", f.uiPort)
}

// refuseDescriptors refuses secrets that one process alone can read: dev reads the settings, and its worker reads them again at each start.
func (o *options) refuseDescriptors() error {
	for _, v := range o.env.Vars {
		name, value, _ := strings.Cut(v, "=")
		if secret, yes := strings.CutSuffix(name, "_FD"); yes && value != "" && strings.HasPrefix(name, "LONGSHIFT_") {
			return fault.New(fault.Input, "%s: a descriptor can be read once, and longshift dev starts a worker that reads it again", name).
				WithHint("give %s_FILE, or start longshift-worker with the descriptor", secret)
		}
	}
	return nil
}

// workerEnv is the worker's environment: that of this process, and the server's address. A server of this machine has no TLS and no key,
// whatever the profile says. The token of gh is passed on, because the worker does not run gh.
func (o *options) workerEnv(info info, conf config.Config) []string {
	env := o.env.Without("TEMPORAL_ADDRESS=", "LONGSHIFT_WEB_URL=", "LONGSHIFT_DATA=")
	if info.local {
		env = append(o.env.Without("TEMPORAL_", "LONGSHIFT_WEB_URL=", "LONGSHIFT_DATA="), localProfile(o.stack.options)...)
	}
	env = append(env, "TEMPORAL_ADDRESS="+o.stack.options.HostPort, "LONGSHIFT_DATA="+conf.Data)
	if token, err := conf.GitHub.Token.Read(); err == nil && conf.GitHub.Token.Source() == config.GHTokenSource {
		env = append(env, "GH_TOKEN="+token)
	}
	if o.env.Get("LONGSHIFT_LOG") == "" {
		env = append(env, "LONGSHIFT_LOG=warn") // what works needs no lines on somebody's terminal
	}
	return append(env, "LONGSHIFT_WEB_URL="+cmp.Or(info.Web, config.NoWeb))
}

// localProfile are the variables that keep a worker from reading a profile meant for another server.
func localProfile(o client.Options) []string {
	return []string{"TEMPORAL_ADDRESS=" + o.HostPort, "TEMPORAL_NAMESPACE=" + o.Namespace, "TEMPORAL_CONFIG_FILE=" + os.DevNull}
}

// serverFlags say what server to start at an address where none answers.
func (o *options) serverFlags(address string, conf config.Config) (serverFlags, error) {
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
		f.uiPort = f.port + server.WebAbove
	}
	if !o.ephemeral {
		f.database = filepath.Join(conf.Data, "temporal.db")
	}
	if !portFree(f.port) {
		return f, fault.New(fault.Input, "port %d is in use by another program", f.port).WithHint("stop it, or give another --port")
	}
	if !f.headless && (f.uiPort < 1 || f.uiPort > 65535 || !portFree(f.uiPort)) {
		return f, fault.New(fault.Input, "port %d for Temporal Web is in use by another program or no port", f.uiPort).
			WithHint("give another --ui-port, or --headless")
	}
	return f, nil
}
