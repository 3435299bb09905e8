package activities

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/sandbox"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace"
)

// Box runs programs confined.
type Box interface {
	Start(ctx context.Context, s process.Spec, c sandbox.Spec) (*process.Process, error)
	Run(ctx context.Context, s process.Spec, l process.Limits, c sandbox.Spec) (process.Result, error)
}

// Confinement is what holds for every program of every task on this host.
type Confinement struct {
	Box      Box                                         // nil runs nothing
	Hidden   []string                                    // folders and files that no program sees: our data, the operator's home, secrets
	Readable []string                                    // what must be seen all the same below a hidden folder: tool chains, the agents' binaries
	Egress   func(ctx context.Context) (net.Conn, error) // the way to the package registries; nil for none
	Limits   sandbox.Limits
	Mounts   bool // whether the box can show a folder at another path
}

// EgressPort is where programs find the way to the package registries, on a loopback of their own.
const EgressPort = 3128

// Dirs are the folders that programs of a task have beside its workspace.
type Dirs struct {
	Home  string // of the task's own commands
	Cache string // of tool chains, where the programs find it
	own   string // where it lies; no other task sees it
}

// place is where a task lives on this host.
type place struct {
	dir     string   // the work tree
	objects []string // git objects that its own .git borrows
	key     string   // of the repository
	branch  string   // that the task starts from
	gits    []string // files in its submodules that lead to their git
	of      task.Repository
}

func (h *Host) placeOf(ctx context.Context, tree *workspace.Tree) (place, error) {
	objects, err := tree.Objects(ctx)
	if err != nil {
		return place{}, err
	}
	of, err := tree.Repository(ctx)
	if err != nil {
		return place{}, err
	}
	key, err := tree.Key(ctx)
	if err != nil {
		return place{}, err
	}
	branch, _, err := tree.Start(ctx)
	if err != nil {
		return place{}, err
	}
	subs, err := tree.Submodules(ctx)
	return place{tree.Dir(), objects, key, branch, subs.GitFiles, of}, err
}

func homeOf(data, taskID string) string { return filepath.Join(taskDir(data, taskID), "home") }

func (h *Host) dirs(p place, taskID string) Dirs {
	d := Dirs{Home: homeOf(h.Data, taskID), own: cachesOf(h.Data, taskID)}
	d.Cache = d.own
	if h.Confine.Mounts {
		d.Cache = h.Caches.Place(p.key)
	}
	return d
}

// box says what a program of the task may see and touch.
func (h *Host) box(ctx context.Context, p place, d Dirs, readOnly bool, paths task.PathSettings) (sandbox.Spec, error) {
	readOnly = readOnly || h.Policy.WriteOff
	s := sandbox.Spec{
		Work: p.dir, ReadOnly: readOnly, NoPipes: true, // our git reads there later, and a pipe for a .gitignore would hold it for ever
		Hidden: slices.Clone(h.Confine.Hidden), Limits: h.Confine.Limits,
		Readable: slices.Concat(h.Confine.Readable, p.objects),
	}
	if err := h.Caches.Begin(ctx, d.own, p.key, p.branch); err != nil {
		return s, err
	}
	if d.Cache == d.own {
		s.Writable = []string{d.own}
	} else {
		s.Moved = map[string]string{d.Cache: d.own}
	}
	git := filepath.Join(p.dir, ".git")
	if !readOnly {
		s.Writable = append(s.Writable, git) // a mount of its own can't be moved away
	} else if objects := filepath.Join(git, "lfs"); isFolder(objects) {
		s.Writable = append(s.Writable, objects) // git-lfs writes there when it only compares; what is taken from there is looked at
	}
	for _, name := range []string{"config", "config.worktree", "commondir", "hooks", "info", "objects/info", "modules", "worktrees"} {
		s.Protected = append(s.Protected, filepath.Join(git, name))
	}
	s.Protected = append(s.Protected, p.gits...)
	for _, pattern := range paths.ReadOnly {
		if path, ok := plainPath(pattern); ok {
			s.Protected = append(s.Protected, filepath.Join(p.dir, path))
		}
	}
	for _, pattern := range paths.Ignore {
		if path, ok := plainPath(pattern); ok {
			s.Hidden = append(s.Hidden, filepath.Join(p.dir, path))
		}
	}
	return s, nil
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// plainPath gives the file or folder that a pattern names as a whole. Others are for policy alone: a mount takes no pattern.
func plainPath(pattern string) (string, bool) {
	path := strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/")
	return path, path != "" && !strings.ContainsAny(path, "*?[{")
}

// confine has the session's processes run in a box whose only ways out lead to its model and to the registries. It gives the
// folders that they have beside the workspace.
func (h *Host) confine(ctx context.Context, s *agent.Session, in SessionInput, gate *gateway.Session) (Dirs, error) {
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Dirs{}, err
	}
	defer tree.Close()
	where, err := h.placeOf(ctx, tree) // as it is now: a merge may have brought submodules
	if err != nil {
		return Dirs{}, err
	}
	dirs := h.dirs(where, in.TaskID)
	spec, err := h.box(ctx, where, dirs, in.Role.ReadOnly(), in.Paths)
	if err != nil {
		return dirs, err
	}
	spec.Writable = append(spec.Writable, s.StateDir)
	h.openWay(&spec, Caller{Task: in.TaskID, Session: in.ID, Role: string(in.Role)})
	if gate != nil {
		pointAt(ctx, gate, s)
		port, dial, err := way(s.BaseURL)
		if err != nil {
			return dirs, err
		}
		spec.Reach = append(spec.Reach, sandbox.Reach{Port: port, Dial: dial})
	}
	s.Start = func(ctx context.Context, p process.Spec) (*process.Process, error) {
		if h.Confine.Box == nil {
			return nil, fault.New(fault.Internal, "this host has no sandbox")
		}
		started, err := h.Confine.Box.Start(ctx, p, spec)
		return started, unconfined(err)
	}
	return dirs, nil
}

// unconfined says that it is the workspace that can't be confined as it is (a link where a protected path should be), and no key
// or permission of ours that is missing.
func unconfined(err error) error {
	if fault.KindOf(err) != fault.Denied {
		return err
	}
	return fault.New(fault.Work, "the workspace can't be confined: %w", err).
		WithHint("%s", cmp.Or(fault.HintOf(err), "look at that path in the workspace, then resume the task, or abandon it"))
}

// way gives the port of a loopback address and how to reach it from our side.
func way(address string) (port int, dial func(context.Context) (net.Conn, error), err error) {
	u, err := url.Parse(address)
	if err == nil {
		port, err = strconv.Atoi(u.Port())
	}
	if err != nil {
		return 0, nil, fault.New(fault.Internal, "the model endpoint %q has no port", address)
	}
	var d net.Dialer
	return port, func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", u.Host) }, nil
}

// policyFor is the operator's policy, narrowed by what the task says.
func (h *Host) policyFor(root string, commands task.CommandSettings, paths task.PathSettings) policy.Config {
	c := h.Policy
	c.Root = root
	c.Profiles = commands.Profiles
	if len(c.Profiles) == 0 { // a task of an earlier release
		c.Profiles = task.DefaultProfiles()
	}
	c.Profiles = slices.DeleteFunc(slices.Clone(c.Profiles), func(p string) bool { return p == task.ProfileNone })
	c.Destructive = c.Destructive && commands.Destructive
	c.Ask = slices.Concat(c.Ask, rules(commands.Ask))
	c.Deny = slices.Concat(c.Deny, rules(commands.Deny))
	c.Scopes = map[task.Role]policy.Scope{}
	for _, role := range task.Roles() {
		c.Scopes[role] = policy.Scope{Write: paths.Write, ReadOnly: paths.ReadOnly, Ignore: paths.Ignore}
	}
	return c
}

func rules(patterns []string) []policy.Rule {
	out := make([]policy.Rule, len(patterns))
	for i, p := range patterns {
		out[i] = policy.Rule{Command: p, Why: fmt.Sprintf("the settings of the task name %q", p)}
	}
	return out
}
