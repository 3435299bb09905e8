package compose

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// reach checks who can talk to whom: ports on this machine only, the database on a network without a way out.
func reach(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		broken := each(when(service.NetworkMode != "", "network_mode %q leaves the stack's networks", service.NetworkMode),
			when(len(service.Networks) == 0, "is on no network of the stack"))
		for _, port := range service.Ports {
			ip, err := netip.ParseAddr(port.HostIP)
			broken = append(broken, each(when(err != nil || !ip.IsLoopback(),
				"port %d is published on %q; give 127.0.0.1", port.Target, port.HostIP))...)
		}
		if !strings.HasPrefix(service.Image, "postgres:") {
			return broken
		}
		for network := range service.Networks {
			broken = append(broken, each(when(!s.Project.Networks[network].Internal, "the database is on network %s, which is not internal", network))...)
		}
		return append(broken, each(when(len(service.Ports) > 0, "the database publishes a port"))...)
	})
}

// containment checks what a container could do to the machine.
func containment(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		return each(
			when(service.Privileged, "is privileged"),
			when(len(service.CapDrop) != 1 || service.CapDrop[0] != "ALL", "does not drop all capabilities"),
			when(len(service.CapAdd) > 0, "adds capabilities %v", service.CapAdd),
			when(!slices.Equal(service.SecurityOpt, securityOptions(service)), "security_opt is %v; give %v", service.SecurityOpt, securityOptions(service)),
			when(!service.ReadOnly, "its root file system can be written"),
			when(service.Pid != "" || service.Ipc != "" || service.UserNSMode != "" || service.Uts != "", "shares a namespace with the machine"),
			when(len(service.Devices) > 0, "gets a device"),
			when(rootUser(service), "runs as root"),
			when(service.Logging == nil || service.Logging.Options["max-size"] == "", "its log grows without bound"),
		)
	})
}

// securityOptions are what a service may say about the engine's filters: nothing, but for the one that builds a sandbox itself. Compose
// knows systempaths only with "=" (parseSecurityOpts in its pkg/compose/create.go); it hands the spelling with ":" on, which the engine refuses.
func securityOptions(service types.ServiceConfig) []string {
	options := []string{"no-new-privileges=true"}
	if service.Build != nil {
		options = append(options, "seccomp=deploy/seccomp.json", "apparmor=unconfined", "systempaths=unconfined")
	}
	return options
}

// rootUser tells whether the service would run as root. Temporal's images name a user of their own, and so does ours;
// PostgreSQL's starts as root unless told otherwise.
func rootUser(service types.ServiceConfig) bool {
	user, _, _ := strings.Cut(service.User, ":")
	return user == "root" || user == "0" || user == "" && strings.HasPrefix(service.Image, "postgres:")
}

// limits checks that no container can take the whole machine.
func limits(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		if service.Deploy == nil || service.Deploy.Resources.Limits == nil {
			return each(when(true, "has no resource limits"))
		}
		limit := service.Deploy.Resources.Limits
		return each(
			when(limit.MemoryBytes <= 0, "has no memory limit"),
			when(limit.NanoCPUs.Value() <= 0, "has no limit of processors"),
			when(limit.Pids <= 0, "has no limit of processes"),
		)
	})
}

// volumes checks where data is kept: every named volume is one service's, for a host is its volume; a service with data
// can't be scaled by accident; what comes from the repository can't be written.
func volumes(s *Stack) []error {
	owner := map[string]string{}
	broken := s.services(func(service types.ServiceConfig) []error {
		var broken []error
		for _, v := range service.Volumes {
			switch v.Type {
			case types.VolumeTypeVolume:
				broken = append(broken, each(
					when(v.Source == "", "the volume at %s has no name: its content is lost with the container", v.Target),
					when(owner[v.Source] != "", "shares volume %s with %s", v.Source, owner[v.Source]),
					when(ours(service) && service.ContainerName == "", "has data and no container_name: --scale would start two hosts on one volume"),
				)...)
				owner[v.Source] = service.Name
			case types.VolumeTypeBind:
				inside, err := filepath.Rel(filepath.Join(s.Root, "deploy"), v.Source)
				broken = append(broken, each(
					when(!v.ReadOnly, "can write to %s", v.Source),
					when(err != nil || strings.HasPrefix(inside, ".."), "mounts %s, which is outside deploy/", v.Source),
					missing(v.Source),
				)...)
			default:
				broken = append(broken, each(when(true, "mounts a %s at %s", v.Type, v.Target))...)
			}
		}
		return broken
	})
	for name := range s.Project.Volumes {
		broken = append(broken, each(when(owner[name] == "", "volume %s is used by no service", name))...)
	}
	return broken
}
