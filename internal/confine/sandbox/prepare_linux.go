package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// maxReach bounds the ports of a box; the two listeners of each port are all passed in one message.
const maxReach = 64

// prepare creates everything that a start needs and returns the Spec of the launcher.
func (b *Box) prepare(s process.Spec, c Spec) (*session, process.Spec, error) {
	if err := checkReach(c.Reach); err != nil {
		return nil, s, err
	}
	sess, err := openSession()
	if err != nil {
		return nil, s, fault.New(fault.Infra, "sandbox: %w", err)
	}
	sess.relays, sess.reach = newRelays(b.log), c.Reach
	args, err := b.fill(sess, s, c)
	if err != nil {
		close(sess.served)
		sess.clean()
		return nil, s, err
	}
	s.Path, s.Args = "/bin/sh", args
	// For the inner init; the program's own are in the order. There is little to collect, and no thread for it when the program has used them all.
	s.Dir, s.Env = "/", []string{"GOMAXPROCS=1", "GOGC=off"}
	s.Ended = sess.ended
	if !b.weak[LayerNamespaces] {
		s.Private = privates()
	}
	return sess, s, nil
}

func checkReach(list []Reach) error {
	if len(list) > maxReach {
		return fault.New(fault.Input, "sandbox: %d ports to reach, %d at most", len(list), maxReach)
	}
	for i, r := range list {
		if r.Port < 1024 || r.Port > 65535 || r.Dial == nil {
			return fault.New(fault.Input, "sandbox: port %d can't be reached: it must lie between 1024 and 65535 and lead somewhere", r.Port)
		}
		if slices.ContainsFunc(list[:i], func(o Reach) bool { return o.Port == r.Port }) {
			return fault.New(fault.Input, "sandbox: port %d leads to two places", r.Port)
		}
	}
	return nil
}

// fill writes the order and returns the launcher's arguments.
func (b *Box) fill(sess *session, s process.Spec, c Spec) ([]string, error) {
	limits, err := orDefault(c.Limits)
	if err != nil {
		return nil, err
	}
	if len(c.Moved) > 0 && b.weak[LayerNamespaces] {
		return nil, fault.New(fault.Input, "sandbox: without namespaces no folder can be shown at another path")
	}
	if sess.plan, err = b.placeholders.plan(c); err != nil {
		return nil, err
	}
	if err := sess.noteMade(sess.plan.made); err != nil {
		return nil, fault.New(fault.Infra, "sandbox: %w", err)
	}
	s.Env = process.MarkedEnv(s.Env, s.Session)
	sess.order = b.order(sess.plan, s, c)
	if !b.weak[LayerLimits] {
		if sess.groups, err = b.groups.create(limits); err != nil {
			return nil, layerFault(LayerLimits, err)
		}
		each := limits
		if b.groups.boundMemory(sess.groups) { // a limit on each process counts what sanitizers reserve and never use, terabytes
			each.Memory = 0
		}
		sess.order.Limits = &each
	}
	command, err := b.command(sess, s.Env, limits)
	if err != nil {
		return nil, fault.New(fault.Infra, "sandbox: %w", err)
	}
	args := append([]string{"-c", launcher, "longshift-box", sess.path(errorsFile)}, b.groups.entries(sess.groups)...)
	return append(append(args, "--"), command...), nil
}

// order builds the order for the inner init.
func (b *Box) order(p *plan, s process.Spec, c Spec) inner.Order {
	o := inner.Order{
		Path: []byte(s.Path), Dir: []byte(cmp.Or(s.Dir, "/")), Args: inner.Bytes(s.Args), Env: inner.Bytes(s.Env),
		Boxed: !b.weak[LayerNamespaces], Mounts: p.checks(),
		Landlock: !b.weak[LayerLandlock], Seccomp: !b.weak[LayerSeccomp], SetID: setIDBits(c),
	}
	o.Writes, o.NoPipe = p.writes(c.NoPipes)
	for _, r := range c.Reach {
		if b.weak[LayerNetwork] {
			break // on the host's loopback the ports are in use, by their targets among others
		}
		o.Ports = append(o.Ports, r.Port)
	}
	return o
}

// command is what the launcher executes: bubblewrap, or the inner init directly without namespaces.
func (b *Box) command(sess *session, env []string, limits Limits) ([]string, error) {
	exe, err := b.exe()
	if err != nil {
		return nil, fmt.Errorf("find the worker's own program: %w", err)
	}
	if b.weak[LayerNamespaces] {
		link := sess.path(inner.Name)
		return []string{link}, os.Symlink(exe, link)
	}
	f := files{exe: exe, socket: sess.path(filepath.Base(inner.Socket)), passwd: sess.path(passwdFile), passwdAt: b.passwdAt}
	if err := os.WriteFile(f.passwd, passwd(env), 0o644); err != nil {
		return nil, err
	}
	return append([]string{b.bwrap}, sess.plan.bwrapArgs(f, !b.weak[LayerNetwork], limits.Memory)...), nil
}

// passwd is the /etc/passwd inside: a program must be able to look up its own user. It does not list the host's other
// users.
func passwd(env []string) []byte {
	home := "/tmp"
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok && filepath.IsAbs(dir) && !strings.ContainsAny(dir, ":\n") {
			home = dir
		}
	}
	return fmt.Appendf(nil, "agent:x:%d:%d:agent:%s:/bin/bash\nroot:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"+
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n", innerID, innerID, home)
}

// setIDBits are the mode bits that programs in a box may not set. Where a writable folder has the set-group-id bit, as
// volumes in containers do, every folder created in it inherits the bit and every copy sets it again; then only
// set-user-id is refused.
func setIDBits(c Spec) uint32 {
	for _, dir := range append([]string{c.Work}, c.Writable...) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSetgid != 0 {
			return unix.S_ISUID
		}
	}
	return unix.S_ISUID | unix.S_ISGID
}
