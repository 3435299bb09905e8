package app

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/egress"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/task"
)

// newConfinement builds the sandbox and the proxy to package registries. It fails when a layer is missing, unless the operator has
// disabled that layer by name.
func newConfinement(ctx context.Context, cfg config.Config, commands *audit.Log, log *slog.Logger) (activities.Confinement, func(), error) {
	if err := agentsInSight(cfg); err != nil {
		return activities.Confinement{}, nil, err
	}
	box, err := newBox(ctx, cfg, log)
	if err == nil {
		err = keepVersions(cfg)
	}
	if err != nil {
		return activities.Confinement{}, nil, err
	}
	c := confinement(cfg, box)
	proxy, err := newEgress(cfg, commands, log)
	if err != nil || proxy == nil {
		return c, func() {}, err
	}
	accounts, granted := newAccounts(), gateway.Pages(cfg.Model.ServerTools)
	c.Egress = func(ctx context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		caller := activities.CallerOf(ctx)
		more := egress.Also(context.WithoutCancel(ctx), pageRules(strings.Fields(caller.Pages), granted))
		go proxy.ServeConn(more, theirs, accounts.of(caller))
		return ours, nil
	}
	return c, func() { _ = proxy.Close() }, nil
}

// confinement limits what programs of tasks see and use. They reach nothing.
func confinement(cfg config.Config, box *sandbox.Box) activities.Confinement {
	keys, shown := keyFiles(cfg), readable(cfg)
	var given []string // folders that the box shows on purpose
	for _, dir := range slices.Concat(shown, cfg.Commands.Readable) {
		given = append(given, withoutLinks(dir))
	}
	return activities.Confinement{Box: box, Hidden: existing(hiddenFolders(cfg)), Keys: func() []string { return keyCovers(cfg.Data, keys, given) },
		Readable: shown, Mounts: mounts(cfg), Limits: sandbox.Limits{Memory: int64(cfg.Sandbox.Memory) << 20}}
}

// pageRules returns the hosts of the pages that a session may fetch and this host's operator grants.
func pageRules(pages, granted []string) (rules []egress.Rule) {
	for _, page := range pages {
		if !slices.ContainsFunc(granted, func(g string) bool { return task.PageWithin(g, page) }) {
			continue
		}
		host, _, _ := strings.Cut(page, "/")
		if rule, err := egress.ParseRule(host); err == nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// mounts reports whether the sandbox has its own view of the file system.
func mounts(cfg config.Config) bool {
	return !slices.Contains(cfg.Sandbox.Without, string(sandbox.LayerNamespaces))
}

// newEgress builds the proxy to the package registries. It returns nil if the operator wants none, or if programs use the host's network
// anyway.
func newEgress(cfg config.Config, commands ledger, log *slog.Logger) (*egress.Proxy, error) {
	if !viaProxy(cfg) {
		return nil, nil
	}
	rules, err := egressRules(cfg)
	if err != nil {
		return nil, err
	}
	upstream, err := cfg.Sandbox.Proxy.Read()
	if err != nil {
		return nil, err
	}
	p, err := egress.New(egress.Config{Rules: rules, Setting: "LONGSHIFT_REGISTRIES", Upstream: upstream, Log: log,
		Limits: egress.Limits{UploadTotal: int64(cfg.Sandbox.Upload) << 20}, Budget: "LONGSHIFT_EGRESS_UPLOAD",
		Denied: newRefusals(commands, time.Now, log).note})
	if err != nil {
		return nil, fault.New(fault.Input, "LONGSHIFT_EGRESS_PROXY: %w", err).WithHint("%s", fault.HintOf(err))
	}
	return p, nil
}

// egressRules parses LONGSHIFT_REGISTRIES. The first matching rule wins, so the operator's rules precede ours.
func egressRules(cfg config.Config) ([]egress.Rule, error) {
	var rules, defaults []egress.Rule
	for _, text := range cfg.Sandbox.Registries {
		if text == "default" {
			defaults = egress.Defaults()
			continue
		}
		rule, err := egress.ParseRule(text)
		if err != nil {
			return nil, fault.New(fault.Input, "LONGSHIFT_REGISTRIES=%q: %w", text, err).WithHint("%s", fault.HintOf(err))
		}
		rules = append(rules, rule)
	}
	return append(rules, defaults...), nil
}

// agentsInSight rejects an agent binary in a hidden folder. In the sandbox it would only fail with "no such file".
func agentsInSight(cfg config.Config) error {
	below := hidden(cfg)
	for _, p := range cfg.Programs() {
		path, err := agentBinary(p.Path)
		if err != nil {
			continue // reported when a session needs it
		}
		for _, dir := range binaryDirs(path) {
			if tooWide(dir, below) && !slices.Contains(cfg.Commands.Readable, dir) {
				return fault.New(fault.Input, "%s=%q: it lies in %s, which agents must not see", p.Variable, p.Path, dir).
					WithHint("move it into a folder of its own, such as ~/.local/bin")
			}
		}
	}
	return nil
}

// binaryDirs returns the folder of a program and that of its link's target.
func binaryDirs(path string) []string {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	dirs := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	return dirs
}

// trySandbox tests every layer as a worker does at its start.
func trySandbox(ctx context.Context, cfg config.Config) ([]checkup.Layer, error) {
	box, err := newBox(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	var layers []checkup.Layer
	for _, l := range box.Layers() {
		layers = append(layers, checkup.Layer{Name: string(l.Layer), Stands: l.Stands, Detail: l.Detail})
	}
	return layers, nil
}

// tryWork runs ordinary commands and this machine's tool chains in a sandbox with a task's settings.
func tryWork(ctx context.Context, cfg config.Config) ([]checkup.Tool, error) {
	log := slog.New(slog.DiscardHandler)
	box, err := newBox(ctx, cfg, log)
	if err == nil {
		err = keepVersions(cfg)
	}
	if err != nil {
		return nil, err
	}
	seen, err := activities.Trial(ctx, activities.TrialConfig{Data: cfg.Data, CommandEnv: commandEnv(cfg), Log: log,
		Confine: confinement(cfg, box)})
	var tools []checkup.Tool
	for _, t := range seen {
		tools = append(tools, checkup.Tool(t))
	}
	return tools, err
}

func newBox(ctx context.Context, cfg config.Config, log *slog.Logger) (*sandbox.Box, error) {
	weaken := map[sandbox.Layer]bool{}
	for _, name := range cfg.Sandbox.Without {
		weaken[sandbox.Layer(name)] = true
	}
	return sandbox.New(ctx, sandbox.Config{Bwrap: cfg.Sandbox.Bubblewrap, Weaken: weaken, Log: log})
}
