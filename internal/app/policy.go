package app

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
)

// operatorRules is the content of the file named by LONGSHIFT_POLICY.
type operatorRules struct {
	Allow     []policy.Rule `yaml:"allow"`
	Ask       []policy.Rule `yaml:"ask"`
	Deny      []policy.Rule `yaml:"deny"`
	Protected []string      `yaml:"protected"`
}

// operatorPolicy is the policy for every task on this host, before a task restricts it further. The sandbox gives programs their own
// /tmp, loopback and processes. With all layers enabled it also isolates them, so code that only runs inside needs no approval. The
// operator decides on the rest.
func operatorPolicy(cfg config.Config, sandboxed bool) (policy.Config, error) {
	c := policy.Config{
		Profiles: cfg.Commands.Profiles, Destructive: cfg.Commands.Destructive, WriteOff: cfg.Commands.WriteOff,
		Registry: sandboxed && viaProxy(cfg), PrivateTmp: sandboxed, Loopback: sandboxed && ownNetwork(cfg), Namespace: sandboxed,
		Boxed: sandboxed && len(cfg.Sandbox.Without) == 0,
	}
	if cfg.Commands.Policy == "" {
		return c, nil
	}
	data, err := os.ReadFile(cfg.Commands.Policy)
	if err != nil {
		return c, fault.New(fault.Input, "LONGSHIFT_POLICY: %w", err).WithHint("give a file with the operator's rules, or leave it empty")
	}
	var rules operatorRules
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&rules); err != nil && !errors.Is(err, io.EOF) {
		return c, fault.New(fault.Input, "LONGSHIFT_POLICY %s: %s", cfg.Commands.Policy, plainYAML(err)).
			WithHint("its keys are allow, ask, deny (lists of {command, why, roles}) and protected (a list of paths)")
	}
	c.Allow, c.Ask, c.Deny, c.Protected = rules.Allow, rules.Ask, rules.Deny, rules.Protected
	check := c
	check.Root = "/workspace"
	if _, err := policy.New(check); err != nil {
		return c, fault.New(fault.Input, "LONGSHIFT_POLICY %s: %w", cfg.Commands.Policy, err)
	}
	return c, nil
}

func hasRegistries(cfg config.Config) bool {
	return len(cfg.Sandbox.Registries) > 0 && cfg.Sandbox.Registries[0] != "none"
}

// ownNetwork reports whether programs have their own network. Otherwise their loopback is the host's.
func ownNetwork(cfg config.Config) bool {
	return !slices.Contains(cfg.Sandbox.Without, string(sandbox.LayerNetwork))
}

// viaProxy reports whether programs reach the registries, and nothing else, through our proxy.
func viaProxy(cfg config.Config) bool { return hasRegistries(cfg) && ownNetwork(cfg) }

// inType matches the Go type names in YAML errors, which mean nothing to users.
var inType = regexp.MustCompile(`field (\S+) not found in type \S+`)

// plainYAML returns the first mistake on one line.
func plainYAML(err error) string {
	text := err.Error()
	if several, ok := errors.AsType[*yaml.TypeError](err); ok && len(several.Errors) > 0 {
		text = several.Errors[0]
	}
	return inType.ReplaceAllString(strings.TrimPrefix(text, "yaml: "), `$1 is no key here`)
}
