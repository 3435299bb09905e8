package sandbox

import (
	"github.com/longshift/longshift/internal/fault"
)

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
