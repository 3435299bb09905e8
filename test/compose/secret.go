package compose

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

const secretFolder = "/run/secrets/"

// secretName is what variables that hold a key or password are called.
var secretName = regexp.MustCompile(`(?i)(KEY|TOKEN|PASSWORD|PASSWD|PWD|SECRET|CREDENTIAL)`)

// secrets checks that keys and passwords come from files in one ignored folder, reach only who asks for them, and are in
// no environment.
func secrets(s *Stack) []error {
	var broken []error
	for _, name := range slices.Sorted(maps.Keys(s.Project.Secrets)) {
		secret := s.Project.Secrets[name]
		if want := filepath.Join(s.Root, "deploy", "secrets", name); secret.File != want {
			broken = append(broken, fmt.Errorf("secret %s does not come from the file deploy/secrets/%s", name, name))
		}
		used := slices.ContainsFunc(s.Project.ServiceNames(), func(service string) bool {
			return grants(s.Project.Services[service])[name]
		})
		broken = append(broken, each(when(!used, "secret %s is used by no service", name))...)
	}
	return append(broken, s.services(func(service types.ServiceConfig) []error {
		return append(secretEnvironment(service), secretGrants(service)...)
	})...)
}

// grants are the secrets that a service gets.
func grants(service types.ServiceConfig) map[string]bool {
	granted := map[string]bool{}
	for _, secret := range service.Secrets {
		granted[secret.Source] = true
	}
	return granted
}

// secretEnvironment refuses values where only file names may be.
func secretEnvironment(service types.ServiceConfig) []error {
	broken := each(when(len(service.EnvFiles) > 0, "env_file: its values show in docker inspect; name variables one by one"))
	names := maps.Clone(service.Environment)
	if service.Build != nil {
		for name, value := range service.Build.Args {
			broken = append(broken, each(when(secretName.MatchString(name) && value != nil && *value != "",
				"build argument %s: the image's history would keep it", name))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		value := names[name]
		if !secretName.MatchString(name) || value != nil && *value == "" {
			continue
		}
		ok := value != nil && strings.HasSuffix(name, "_FILE") && strings.HasPrefix(*value, secretFolder)
		broken = append(broken, each(when(!ok, "%s holds a secret, or takes one from the operator's shell; give %s_FILE=%s...",
			name, strings.TrimSuffix(name, "_FILE"), secretFolder))...)
	}
	return broken
}

// secretGrants compares the secrets that a service gets with the files that it names.
func secretGrants(service types.ServiceConfig) []error {
	named := map[string]bool{}
	for _, value := range service.Environment {
		if value != nil && strings.HasPrefix(*value, secretFolder) {
			named[strings.TrimPrefix(*value, secretFolder)] = true
		}
	}
	var broken []error
	granted := grants(service)
	for name := range named {
		broken = append(broken, each(when(!granted[name], "names the file of secret %s and does not get it", name))...)
	}
	for name := range granted {
		broken = append(broken, each(when(!named[name], "gets secret %s and does not name its file", name))...)
	}
	return broken
}
