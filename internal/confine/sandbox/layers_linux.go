package sandbox

import (
	"fmt"
)

// Layers returns which layers work and which the operator has disabled.
func (b *Box) Layers() []LayerState { return append([]LayerState(nil), b.states...) }

// tell logs the layers. A disabled one is a warning at each start of the worker.
func (b *Box) tell() {
	for _, s := range b.states {
		if s.Stands {
			b.log.Info("sandbox layer stands", "layer", s.Layer, "detail", s.Detail)
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
			s.Detail = fmt.Sprintf("%d calls refused", len(refused)+len(refusedHere))
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
