package app

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/cli/dev"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/egress"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
)

// newConfinement builds the sandbox and the way to the registries. It fails when a layer is missing that the operator has not
// done without by name.
func newConfinement(ctx context.Context, cfg config.Config, commands *audit.Log, log *slog.Logger) (activities.Confinement, func(), error) {
	if err := claudeInSight(cfg); err != nil {
		return activities.Confinement{}, nil, err
	}
	box, err := newBox(ctx, cfg, log)
	if err == nil {
		err = keepVersions(cfg)
	}
	if err != nil {
		return activities.Confinement{}, nil, err
	}
	c := activities.Confinement{Box: box, Hidden: hidden(cfg), Readable: readable(cfg), Mounts: mounts(cfg)}
	proxy, err := newEgress(cfg, commands, log)
	if err != nil || proxy == nil {
		return c, func() {}, err
	}
	accounts := newAccounts()
	c.Egress = func(ctx context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go proxy.ServeConn(context.WithoutCancel(ctx), theirs, accounts.of(activities.CallerOf(ctx)))
		return ours, nil
	}
	return c, func() { _ = proxy.Close() }, nil
}

// mounts tells whether the sandbox has a view of folders of its own.
func mounts(cfg config.Config) bool {
	return !slices.Contains(cfg.Sandbox.Without, string(sandbox.LayerNamespaces))
}

// newEgress builds the proxy to the package registries; nil when the operator wants none, and when programs are on the host's
// network anyway.
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

// egressRules reads LONGSHIFT_REGISTRIES. What the operator says of a host comes before what we say of it: the first rule that fits
// holds.
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

// keyVariables name files with keys that other programs of the worker's environment use.
var keyVariables = []string{"TEMPORAL_TLS_CLIENT_KEY_PATH", "TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_CONFIG_FILE", "SSH_AUTH_SOCK",
	"GOOGLE_APPLICATION_CREDENTIALS", "AWS_SHARED_CREDENTIALS_FILE", "KUBECONFIG", "DOCKER_CONFIG", "NETRC", "GNUPGHOME"}

// hidden is what no program of a task sees: our data, everybody's home, sockets of the system, and files with secrets.
func hidden(cfg config.Config) []string {
	list := []string{cfg.Data, "/home", "/root", "/run"}
	if home := operatorHome(); home != "" {
		list = append(list, home)
	}
	list = append(list, cfg.Author.SigningKey) // the id of a key names no file
	list = append(list, cfg.SecretFiles()...)
	for _, name := range keyVariables {
		list = append(list, os.Getenv(name))
	}
	return existing(list)
}

// tooWide tells whether a folder is a whole home, or holds something that is hidden: that somebody has put a program there, or the
// folder on PATH, is no word that agents may see all of it.
func tooWide(dir string, hidden []string) bool {
	dir = filepath.Clean(dir)
	return filepath.Dir(dir) == "/home" || dir == operatorHome() ||
		slices.ContainsFunc(hidden, func(h string) bool { return h == dir || strings.HasPrefix(h, dir+"/") })
}

// claudeInSight refuses an agent's binary that lies where agents must not look. A box without it would only say that there is no
// such file.
func claudeInSight(cfg config.Config) error {
	path, err := exec.LookPath(cfg.Model.Claude)
	if err != nil {
		return nil // told when a session needs it
	}
	below := hidden(cfg)
	for _, dir := range binaryDirs(path) {
		if tooWide(dir, below) && !slices.Contains(cfg.Commands.Readable, dir) {
			return fault.New(fault.Input, "LONGSHIFT_CLAUDE=%q: it lies in %s, which agents must not see", cfg.Model.Claude, dir).
				WithHint("move it into a folder of its own, such as ~/.local/bin")
		}
	}
	return nil
}

// binaryDirs are the folders that a program is found in and that it really lies in.
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

// existing drops what is not there, and what is there twice.
func existing(list []string) []string {
	var out []string
	for _, path := range list {
		if _, err := os.Lstat(path); err == nil && filepath.IsAbs(path) && !slices.Contains(out, filepath.Clean(path)) {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

// trySandbox tries every layer as a worker does at its start.
func trySandbox(ctx context.Context, cfg config.Config) ([]dev.Layer, error) {
	box, err := newBox(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	var layers []dev.Layer
	for _, l := range box.Layers() {
		layers = append(layers, dev.Layer{Name: string(l.Layer), Stands: l.Stands, Detail: l.Detail})
	}
	return layers, nil
}

// tryWork runs ordinary work and the tool chains of this machine in a box as a worker's tasks get it.
func tryWork(ctx context.Context, cfg config.Config) ([]dev.Tool, error) {
	log := slog.New(slog.DiscardHandler)
	box, err := newBox(ctx, cfg, log)
	if err == nil {
		err = keepVersions(cfg)
	}
	if err != nil {
		return nil, err
	}
	seen, err := activities.Trial(ctx, activities.TrialConfig{Data: cfg.Data, CommandEnv: commandEnv(cfg), Log: log,
		Confine: activities.Confinement{Box: box, Hidden: hidden(cfg), Readable: readable(cfg), Mounts: mounts(cfg)}})
	var tools []dev.Tool
	for _, t := range seen {
		tools = append(tools, dev.Tool(t))
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
