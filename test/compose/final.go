package compose

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// last gives the last instruction of a kind in the final stage.
func last[C instructions.Command](i *Image) (found C, ok bool) {
	for _, command := range i.stages[len(i.stages)-1].Commands {
		if c, is := command.(C); is {
			found, ok = c, true
		}
	}
	return found, ok
}

// final checks what the image is when it runs: who, what, and how one learns that it is well.
func (i *Image) final() []error {
	user, _ := last[*instructions.UserCommand](i)
	entry, hasEntry := last[*instructions.EntrypointCommand](i)
	broken := each(
		when(user == nil || !numeric(user.User), "the final stage needs a USER with a numeric id that is not 0"),
		when(!hasEntry || entry.PrependShell, "the final stage needs an ENTRYPOINT without a shell, so that stop signals arrive"),
		when(len(i.Health()) == 0, "the final stage needs a HEALTHCHECK without a shell"),
	)
	for _, program := range []string{"longshift-worker", first(i.Health())} {
		broken = append(broken, each(when(program != "" && !i.installs(program), "the final stage runs %s and does not copy it", program))...)
	}
	return append(broken, each(when(hasEntry && !slices.Contains(entry.CmdLine, "longshift-worker"), "ENTRYPOINT does not start longshift-worker"))...)
}

// Health is the health check's command, or nothing.
func (i *Image) Health() []string {
	health, ok := last[*instructions.HealthCheckCommand](i)
	if !ok || health.Health == nil || len(health.Health.Test) < 2 || health.Health.Test[0] != "CMD" {
		return nil
	}
	return health.Health.Test[1:]
}

// installs tells whether the final stage copies a program of this name to the folder of programs.
func (i *Image) installs(program string) bool {
	const programs = "/usr/local/bin/"
	for _, command := range i.stages[len(i.stages)-1].Commands {
		c, ok := command.(*instructions.CopyCommand)
		if !ok {
			continue
		}
		if c.DestPath == programs+program || c.DestPath == programs && slices.ContainsFunc(c.SourcePaths, func(s string) bool { return path.Base(s) == program }) {
			return true
		}
	}
	return false
}

func numeric(user string) bool {
	id, _, _ := strings.Cut(user, ":")
	n, err := strconv.Atoi(id)
	return err == nil && n > 0
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// CheckFit checks that the compose file and the image agree: the health check and the folder that holds data.
func CheckFit(s *Stack, i *Image) []error {
	volume, _ := last[*instructions.VolumeCommand](i)
	return s.services(func(service types.ServiceConfig) []error {
		if !ours(service) {
			return nil
		}
		var targets []string
		for _, v := range service.Volumes {
			targets = append(targets, v.Target)
		}
		return each(
			when(!slices.Equal(healthTest(service), i.Health()), "healthcheck %v is not the image's %v", healthTest(service), i.Health()),
			when(volume == nil || !slices.Equal(targets, volume.Volumes), "mounts volumes at %v, the image keeps data elsewhere", targets),
			when(service.Build.Dockerfile != "deploy/Dockerfile" || service.Build.Context != s.Root, "is not built from deploy/Dockerfile at the root"),
		)
	})
}
