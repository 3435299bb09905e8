package sandbox

import (
	"fmt"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// Layers returns which layers work and which the operator has disabled.
func (b *Box) Layers() []LayerState { return append([]LayerState(nil), b.states...) }

// tell logs the layers. A disabled one is a warning at each start of the worker.
func (b *Box) tell() {
	for _, s := range b.states {
		if s.Stands {
			b.log.Info("sandbox layer works", "layer", s.Layer, "detail", s.Detail)
		} else {
			b.log.Warn("sandbox layer is switched off by the operator", "layer", s.Layer, "detail", s.Detail)
		}
	}
}

// describe turns the findings of the probe into the states of the layers.
func (b *Box) describe(seen findings) []LayerState {
	var out []LayerState
	for _, layer := range AllLayers() {
		s := LayerState{Layer: layer, Stands: !b.weak[layer]}
		switch {
		case !s.Stands:
			s.Detail = lost[layer]
		case layer == LayerNamespaces:
			s.Detail = b.version
		case layer == LayerNetwork:
			s.Detail = "loopback only"
		case layer == LayerLandlock:
			s.Detail = fmt.Sprintf("level %d", seen.Landlock)
		case layer == LayerSeccomp:
			s.Detail = fmt.Sprintf("%d calls refused", len(inner.Refused()))
		case layer == LayerLimits:
			s.Detail = "rlimits" + b.groups.String()
			if !b.groups.has("memory") {
				s.Detail += "; memory is limited for each process, not for a box as a whole (to have both, " + thisHost.limits() + ")"
			}
		}
		out = append(out, s)
	}
	return out
}

// lost describes what a missing layer no longer prevents.
var lost = map[Layer]string{
	LayerNamespaces: "programs see the whole machine, hidden folders and other processes too, and protected paths can be written",
	LayerNetwork:    "programs reach every network and every local service that the worker reaches",
	LayerLandlock:   "writes are held by the mounts alone",
	LayerSeccomp:    "programs may use every call of the kernel",
	LayerLimits:     "programs may use up processes, memory and disk",
}

// layerFault is the error for a layer that does not work: what was observed, what to change, and how to run without it.
func layerFault(layer Layer, err error) error { return faultOf(layer, err, remedy(layer)) }

func faultOf(layer Layer, err error, remedy string) error {
	without := WeakenFlag + "=" + string(layer)
	if layer == LayerNamespaces {
		without += "," + string(LayerNetwork)
	}
	return fault.New(fault.Infra, "sandbox: layer %s does not hold: %w", layer, err).
		WithHint("%s; %s runs without it", remedy, without)
}

// remedy returns what to install or change on this host.
func remedy(layer Layer) string {
	switch layer {
	case LayerNamespaces, LayerNetwork:
		return thisHost.namespaces()
	case LayerLandlock:
		return "run Linux 5.19 or later with landlock in CONFIG_LSM or the lsm= boot parameter, and a container runtime that lets its " +
			"calls through"
	case LayerSeccomp:
		return "run a kernel with CONFIG_SECCOMP_FILTER, on amd64 or arm64"
	case LayerLimits:
		return thisHost.limits()
	}
	return ""
}
