package sandbox

import (
	"os"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// layerFault is the one line for a layer that does not hold: what was seen, what to change, and how to run without it.
func layerFault(layer Layer, err error) error {
	without := WeakenFlag + "=" + string(layer)
	if layer == LayerNamespaces {
		without += "," + string(LayerNetwork)
	}
	return fault.New(fault.Infra, "sandbox: layer %s does not hold: %w", layer, err).
		WithHint("%s; %s runs without it", remedy(layer), without)
}

// remedy says what to install or to change on this host.
func remedy(layer Layer) string {
	switch layer {
	case LayerNamespaces, LayerNetwork:
		return namespaceRemedy()
	case LayerLandlock:
		return "run Linux 5.19 or later with landlock in CONFIG_LSM or the lsm= boot parameter, and a container runtime that lets its calls through"
	case LayerSeccomp:
		return "run a kernel with CONFIG_SECCOMP_FILTER, on amd64 or arm64"
	case LayerLimits:
		return "run the worker as a user other than root, or give it a writable cgroup with the pids controller"
	}
	return ""
}

// namespaceRemedy looks at the settings that are known to stand in the way.
func namespaceRemedy() string {
	is := func(name, value string) bool {
		b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
		return err == nil && strings.TrimSpace(string(b)) == value
	}
	switch {
	case is("user.max_user_namespaces", "0"):
		return "set sysctl user.max_user_namespaces above 0"
	case is("kernel.unprivileged_userns_clone", "0"):
		return "set sysctl kernel.unprivileged_userns_clone=1"
	case is("kernel.apparmor_restrict_unprivileged_userns", "1"):
		return "install an AppArmor profile that lets bubblewrap use user namespaces, or set sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return "install the package bubblewrap (0.8 or later) and let the worker open user namespaces; in a container, allow unshare and mount and leave /proc unmasked"
}
