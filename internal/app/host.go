package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/anthropic"
	"github.com/longshift/longshift/internal/agent/claude"
	"github.com/longshift/longshift/internal/agent/codex"
	"github.com/longshift/longshift/internal/agent/openai"
	"github.com/longshift/longshift/internal/agent/opencode"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/agent/script"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/sensitive"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// hostWithRoom is newHostConfig, with another try after makeRoom on a full disk: what fills it may be what ended tasks have left, and only a
// worker that has started removes that.
func hostWithRoom(
	ctx context.Context, cfg config.Config, secrets *redact.Redactor, log *slog.Logger, makeRoom func(),
) (h activities.HostConfig, release func(), err error) {
	h, release, err = newHostConfig(ctx, cfg, secrets, log)
	if err == nil || !disk.NoRoom(disk.Full(cfg.Data)) { // a quota shows only when something is written
		return h, release, err
	}
	log.WarnContext(ctx, "A host can't start on a full disk; what ended tasks have left is removed first", "error", err)
	makeRoom()
	h, release, err = newHostConfig(ctx, cfg, secrets, log)
	if full := disk.Full(cfg.Data); err != nil && full != nil { // not every error of a full disk says that it is full
		err = full
	}
	return h, release, err
}

// newHostConfig builds what one host needs. The returned function releases it.
func newHostConfig(
	ctx context.Context, cfg config.Config, secrets *redact.Redactor, log *slog.Logger,
) (none activities.HostConfig, release func(), err error) {
	id, err := hostID(cfg.Data)
	if err != nil {
		return none, nil, err
	}
	spaces, err := newWorkspaces(cfg, log)
	if err == nil {
		err = spaces.TrySigning(ctx)
	}
	if err != nil {
		return none, nil, err
	}
	model, err := modelGateway(cfg)
	if err != nil {
		return none, nil, err
	}
	model.Now, model.Log = time.Now, log
	gw, err := gateway.New(model)
	if err != nil {
		return none, nil, err
	}
	if err := gw.Start(ctx); err != nil {
		return none, nil, err
	}
	commands, err := openAudit(ctx, cfg, log)
	if err != nil {
		_ = gw.Close()
		return none, nil, err
	}
	confine, closeConfine, err := newConfinement(ctx, cfg, commands, log)
	if err != nil {
		_ = gw.Close()
		_ = commands.Close()
		return none, nil, err
	}
	closeAll := func() { _ = gw.Close(); closeConfine(); _ = commands.Close() }
	rules, err := operatorPolicy(cfg, mounts(cfg))
	if err != nil {
		closeAll()
		return none, nil, err
	}
	rules.Search = gw.Granted("web_search")
	for _, g := range cfg.Grants() {
		if _, err := g.Read(); err != nil {
			log.Warn("A secret for tasks can't be given", "variable", g.Name, "repository", g.Repository, "error", err, "hint", fault.HintOf(err))
		}
	}
	leaving, closeObjects, err := handover(ctx, cfg)
	if err != nil {
		closeAll()
		return none, nil, err
	}
	agents, endAgents := newAgents(cfg, log)
	second, _ := sensitive.ParseRules(cfg.Commands.Sensitive) // config has validated it
	h := activities.HostConfig{
		ID: id, Data: cfg.Data, Workspaces: spaces, Caches: newCaches(cfg, log), Limits: limits(cfg),
		Slots: cfg.Host.Slots, Heartbeat: cfg.Host.Heartbeat, ProbeWait: cfg.Host.Probe,
		Confine: confine, Sensitive: second, Redact: secrets, Examine: examine(cfg), Log: log, Now: time.Now,
		AgentConfig: activities.AgentConfig{Agents: agents, Gateway: gw, Scenario: cfg.Scenario,
			FreeMemory: func() (int64, bool) { return freeMemory("/") }, Model: ownModel(cfg)},
		Environment: activities.Environment{CommandEnv: commandEnv(cfg), AgentEnv: agentEnv(cfg), Secrets: taskSecrets(cfg)},
		Handover:    leaving,
		Permissions: activities.Permissions{Policy: rules, Audit: commands, SettingsAllow: cfg.Commands.Allow},
	}
	end := func() { endAgents(); closeObjects(); closeAll() }
	if err := tryHost(ctx, h); err != nil {
		end()
		return none, nil, err
	}
	return h, end, nil
}

// newAgents returns the agents that this host may run, by name. The returned function ends what they keep running.
func newAgents(cfg config.Config, log *slog.Logger) (map[string]agent.Agent, func()) {
	path, all, end := taskPath(), map[string]agent.Agent{}, func() {}
	base := func(binary string) program.Config { return program.Config{Binary: binary, Path: path, Log: log} }
	for _, name := range cfg.AllowedAgents() {
		switch name {
		case "claude":
			driver := claude.New(claude.Config{Config: base(cfg.Model.Claude)})
			all[name], end = driver, func() { driver.Close() }
		case task.AgentCodex:
			all[name] = codex.New(codex.Config{Config: base(cfg.Model.CodexProgram())})
		case task.AgentOpenCode:
			all[name] = opencode.New(base(cfg.Model.OpenCode))
		case task.AgentNative: // its loop is a workflow, and its model is all that it needs here
		case "script":
			all[name] = script.New(script.Config{Path: path, Log: log})
		}
	}
	return all, end
}

// ownModel is what Longshift's own agent asks; nil when this host may not run it.
func ownModel(cfg config.Config) activities.Model {
	if !slices.Contains(cfg.AllowedAgents(), task.AgentNative) {
		return nil
	}
	return ownModels{task.APIOpenAI: &openai.Model{}, task.APIAnthropic: &anthropic.Model{}, "": &anthropic.Model{}}
}

// ownModels are what Longshift's own agent asks, by the API.
type ownModels map[string]activities.Model

func (m ownModels) Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (transcript.Answer, error) {
	return m[q.Start.API].Answer(ctx, e, q)
}

func newWorkspaces(cfg config.Config, log *slog.Logger) (*workspace.Manager, error) {
	auth, err := gitAuth(cfg, log)
	if err != nil {
		return nil, err
	}
	return workspace.New(workspace.Config{
		Dir: cfg.Data, Author: workspace.Person{Name: cfg.Author.Name, Email: cfg.Author.Email}, SigningKey: cfg.Author.SigningKey,
		RemoteURL: remoteURL(cfg), Auth: auth, Log: log, Now: time.Now,
	})
}

// trySigning makes a test signature with the worker's settings.
func trySigning(ctx context.Context, cfg config.Config) error {
	spaces, err := newWorkspaces(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return spaces.TrySigning(ctx)
}

func newCaches(cfg config.Config, log *slog.Logger) *toolcache.Store {
	c := toolcache.Config{Dir: filepath.Join(cfg.Data, "caches"), Tasks: filepath.Join(cfg.Data, "tasks"),
		Share: cfg.Tasks.Cache != config.CacheNone, Now: time.Now, Log: log}
	if c.Share {
		c.Seed = cfg.Tasks.Cache
	}
	return toolcache.New(c)
}

// tryHost fails if no task could work on this host.
func tryHost(ctx context.Context, h activities.HostConfig) error {
	trial := activities.TrialConfig{ID: h.ID, Data: h.Data, Confine: h.Confine, CommandEnv: h.CommandEnv, Log: h.Log}
	tools, err := activities.Trial(ctx, trial)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if !t.Works {
			h.Log.WarnContext(ctx, "A tool chain of this machine does not work in the sandbox", "tool", t.Name, "said", t.Detail)
		}
	}
	return nil
}

const hostFile = "host-id"

var hostPattern = regexp.MustCompile(`^[a-z0-9-]{4,64}$`)

// readOrMake reads the host's id or creates it. Concurrent callers get the same one.
func readOrMake(data string) (string, error) {
	file := filepath.Join(data, hostFile)
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			id := strings.TrimSpace(string(text))
			if !hostPattern.MatchString(id) {
				return "", fault.New(fault.Input, "%s in the data directory holds %q, which is not a host id", hostFile, id).
					WithHint("restore it, or remove it to make this a new host")
			}
			return id, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fault.New(fault.Infra, "read the host's id: %w", err)
		}
		if err := makeHostID(data, file); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fault.New(fault.Infra, "write the host's id: %w", err)
		}
	}
}

// makeHostID writes a new id atomically. The link fails when another process was first.
func makeHostID(data, file string) error {
	var raw [5]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		name = "host"
	}
	id := slugHost(name) + "-" + hex.EncodeToString(raw[:])
	tmp, err := os.CreateTemp(data, ".host-id-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(id + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), file)
}
