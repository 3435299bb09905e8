package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

const (
	probeTime  = 20 * time.Second
	probePort  = 20001
	probeForks = 64 // processes that the probe tries to start; the limit must stop it before
	probeLimit = 40 // the probe's own threads count
)

// probeOrder is sent to the confined part of the probe.
type probeOrder struct {
	Fence  string            // a file that only Landlock keeps it from writing
	HostNS map[string]string // the worker's own namespaces
	Port   int
	Forks  int
}

// findings is what the confined part has observed.
type findings struct {
	SharedNS   []string // namespaces shared with the worker
	Writable   []string // paths that should be read-only and are not
	Caps       bool     // capabilities are left
	Landlock   int      // the ABI; 0 when the fence could be written
	Calls      []string // system calls that should be refused and are not
	Interfaces []string
	Echo       string // why the forwarded port did not answer, "" when it did
	Forks      bool   // all processes could be started
	FileSize   uint64
}

// probe runs a small program in a fully equipped box, and checks what it could do.
func (b *Box) probe(ctx context.Context) (f findings, err error) {
	dir, lock, err := makeFolder()
	if err != nil {
		return f, fault.New(fault.Infra, "sandbox: %w", err)
	}
	defer lock.Close()
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return f, fault.New(fault.Infra, "sandbox: %w", err)
	}
	spec, c, err := b.probeSpec(dir)
	if err != nil {
		return f, fault.New(fault.Infra, "sandbox: prepare the probe: %w", err)
	}
	r, err := b.Run(ctx, spec, process.Limits{Wall: probeTime}, c)
	if err != nil {
		if fault.HintOf(err) != "" || ctx.Err() != nil {
			return f, err
		}
		return f, layerFault(LayerNamespaces, fmt.Errorf("run the probe: %w", err))
	}
	if err := json.Unmarshal([]byte(r.Output), &f); err != nil || !r.Success() {
		said := strings.ReplaceAll(strings.TrimSpace(r.Output), "\n", "; ")
		if r.Signal == "SIGSYS" {
			return f, layerFault(LayerSeccomp, fmt.Errorf("the filter ended the probe: %.300s", said))
		}
		return f, layerFault(LayerNamespaces, fmt.Errorf("the probe %s: %.300s", r.Exit, said))
	}
	return f, b.judge(f)
}

func (b *Box) probeSpec(dir string) (process.Spec, Spec, error) {
	work, fence := filepath.Join(dir, "work"), filepath.Join(dir, "fence")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(fence, 0o700)); err != nil {
		return process.Spec{}, Spec{}, err
	}
	o := probeOrder{Fence: inner.Fence + "/written", Port: probePort, Forks: probeForks, HostNS: ownNamespaces()}
	c := Spec{Work: work, Limits: Limits{Processes: probeLimit}, fence: fence}
	if !b.weak[LayerNetwork] { // on the host's own loopback the port may be in use
		c.Reach = []Reach{{Port: probePort, Dial: dialEcho}}
	} else {
		o.Port = 0
	}
	s := process.Spec{Path: inner.Path, Env: []string{"GOMAXPROCS=1", "PATH=/usr/bin:/bin"}, Dir: work, Grace: -1}
	if b.weak[LayerNamespaces] {
		o.Fence = "/proc/self/comm" // a process may write its own; the rest of /proc is read-only in a box
		exe, err := b.exe()
		if err != nil {
			return s, c, err
		}
		s.Path = filepath.Join(dir, inner.Name)
		if err := os.Symlink(exe, s.Path); err != nil {
			return s, c, err
		}
	}
	text, err := json.Marshal(o)
	s.Args = []string{inner.Probe, string(text)}
	return s, c, err
}

func dialEcho(context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		io.Copy(far, far)
		far.Close()
	}()
	return near, nil
}

func ownNamespaces() map[string]string {
	out := map[string]string{}
	for _, name := range []string{"user", "mnt", "pid", "ipc", "uts", "net"} {
		out[name], _ = os.Readlink("/proc/self/ns/" + name)
	}
	return out
}

// judge compares the findings with what each layer promises.
func (b *Box) judge(f findings) error {
	net := slices.DeleteFunc(slices.Clone(f.SharedNS), func(n string) bool { return n != "net" })
	others := slices.DeleteFunc(slices.Clone(f.SharedNS), func(n string) bool { return n == "net" })
	for _, look := range []struct {
		layer Layer
		bad   bool
		seen  string
	}{
		{LayerNamespaces, len(others) > 0, "the program shares namespaces with the worker: " + strings.Join(others, ", ")},
		{LayerNamespaces, len(f.Writable) > 0, "not read-only: " + strings.Join(f.Writable, ", ")},
		{LayerNamespaces, f.Caps, "the program has capabilities"},
		{LayerNetwork, len(net) > 0 || !slices.Equal(f.Interfaces, []string{"lo"}),
			"the program sees the interfaces " + strings.Join(f.Interfaces, ", ")},
		{LayerNetwork, f.Echo != "", "the way to the worker does not work: " + f.Echo},
		{LayerLandlock, f.Landlock < inner.LandlockFloor, "a write past its rules went through"},
		{LayerSeccomp, len(f.Calls) > 0, "calls were let through: " + strings.Join(f.Calls, ", ")},
		{LayerLimits, f.FileSize != uint64(DefaultLimits().FileSize), fmt.Sprintf("files may grow to %d bytes", f.FileSize)},
		{LayerLimits, f.Forks, fmt.Sprintf("%d processes could be started where %d are allowed", probeForks, probeLimit)},
	} {
		if look.bad && !b.weak[look.layer] {
			return layerFault(look.layer, errors.New(look.seen))
		}
	}
	return nil
}
