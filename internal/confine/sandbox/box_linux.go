package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// Box confines programs. It is safe for concurrent use.
type Box struct {
	bwrap        string // real path; "" without namespaces
	version      string
	weak         map[Layer]bool
	log          *slog.Logger
	placeholders *placeholders
	groups       groups
	passwdAt     string // real path of /etc/passwd, "" when the host has none
	states       []LayerState
	exe          func() (string, error)
}

// New finds what the layers need and runs a small confined program to check that they work. A layer that does not is a
// fault that names the layer, what was observed, what to install or change, and the flag to run without it.
func New(ctx context.Context, c Config) (*Box, error) {
	b := &Box{weak: map[Layer]bool{}, log: cmp.Or(c.Log, slog.Default()), placeholders: newPlaceholders(), exe: ownExecutable()}
	for layer, off := range c.Weaken {
		if !known(layer) {
			return nil, fault.New(fault.Input, "sandbox: there is no layer %q", string(layer)).
				WithHint("the layers are %s", joinLayers(AllLayers()))
		}
		b.weak[layer] = off
	}
	if b.weak[LayerNamespaces] && !b.weak[LayerNetwork] {
		return nil, fault.New(fault.Input, "sandbox: without namespaces there is no network layer").
			WithHint("name both: %s=%s,%s", WeakenFlag, LayerNamespaces, LayerNetwork)
	}
	if err := b.findBwrap(ctx, cmp.Or(c.Bwrap, "bwrap")); err != nil {
		return nil, err
	}
	if real, missing, err := (writtenFolders{}).resolve("/etc/passwd"); err == nil && len(missing) == 0 {
		b.passwdAt = real
	}
	sweep()
	if !b.weak[LayerLimits] {
		b.groups = findGroups()
	}
	seen, err := b.probe(ctx)
	if err != nil {
		return nil, err
	}
	b.states = b.describe(seen)
	b.tell()
	return b, nil
}

func known(layer Layer) bool {
	return slices.Contains(AllLayers(), layer)
}

func joinLayers(list []Layer) string {
	var names []string
	for _, l := range list {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// bwrapFloor is the first version of bubblewrap with both a size option for tmpfs and one to disable user namespaces
// inside.
var bwrapFloor = [2]int{0, 8}

func (b *Box) findBwrap(ctx context.Context, name string) error {
	if b.weak[LayerNamespaces] {
		return nil
	}
	fails := func(err error) error { return faultOf(LayerNamespaces, err, thisHost.bubblewrap()) }
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fails(fmt.Errorf("bubblewrap is not to be found: %w", err))
	}
	var out bytes.Buffer
	exit, _, err := process.Direct(ctx, process.Spec{Path: path, Args: []string{"--version"}}, &out)
	if err == nil && !exit.Success() {
		err = errors.New(exit.String())
	}
	if err != nil {
		return fails(fmt.Errorf("ask %s for its version: %w", path, err))
	}
	var v [2]int
	b.bwrap, b.version = path, strings.TrimSpace(out.String())
	if _, err := fmt.Sscanf(b.version, "bubblewrap %d.%d", &v[0], &v[1]); err != nil {
		return fails(fmt.Errorf("%s does not look like bubblewrap: it says %.60q", path, b.version))
	}
	if v[0] < bwrapFloor[0] || v[0] == bwrapFloor[0] && v[1] < bwrapFloor[1] {
		return fails(fmt.Errorf("%s is %s, at least %d.%d is needed", path, b.version, bwrapFloor[0], bwrapFloor[1]))
	}
	return nil
}

// copyLock marks the folder of the copied executable as in use while this process runs.
var copyLock *os.File //nolint:unused // what nothing refers to is closed

// copyOut copies the running program into a folder of its own. Nothing is left when it fails: the disk may be full.
func copyOut() (path string, err error) {
	b, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return "", err
	}
	dir, lock, err := makeFolder()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, inner.Name)
	if err := os.WriteFile(path, b, 0o500); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir), lock.Close())
	}
	copyLock = lock
	return path, nil
}

// ownExecutable returns a path to the running program. If the file has been replaced since the start, the running
// version is copied out once: another version might not understand the order. A copy that has failed is tried again.
func ownExecutable() func() (string, error) {
	var mu sync.Mutex
	var path string
	copied := func() (_ string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if path == "" {
			path, err = copyOut()
		}
		return path, err
	}
	return func() (string, error) {
		if plain := guard.Plain(); plain != "" {
			return plain, nil
		}
		running, err := os.Stat("/proc/self/exe")
		if err != nil {
			return "", err
		}
		path, err := os.Executable()
		if err != nil {
			return copied()
		}
		if now, err := os.Stat(path); err != nil || !os.SameFile(running, now) {
			return copied()
		}
		return path, nil
	}
}

func randomName() string { return rand.Text()[:12] }
